import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isTerminal, type RunStatus } from "../../../../shared/domain/run/run-status.ts";
import { type Cause, transitionOf, transitions } from "../../../../shared/domain/run/transitions.ts";
import { type Db, openDb } from "../../../../shared/store/client.ts";
import { openTestStack, type TestStack } from "../../../harness/test-stack.ts";
import { makeRun, moves as acts } from "./run-moves.ts";

/**
 * Random moves by random callers, each by the statement that the store has for it, on a real Postgres. The model knows the
 * table of transitions and nothing of SQL; what must hold whatever the table says is checked beside it.
 */
let stack: TestStack;
/** One connection, so that each statement is prepared once. */
let db: Db;
let racing: Db;

beforeAll(async () => {
  stack = await openTestStack();
  db = openDb(stack.databaseUrl, 1, () => undefined);
  racing = openDb(stack.databaseUrl, 4, () => undefined);
}, 60_000);
afterAll(async () => {
  await Promise.all([db?.close(), racing?.close()]);
  await stack?.close();
});

const causes = Object.keys(transitions) as Cause[];
const moves = causes.flatMap((cause) => transitionOf(cause).to.map((to) => ({ cause, to })));
const workers = 3;
/** The last kind is no move: somebody asks to cancel. */
const kinds = moves.length + 1;

type Row = { status: RunStatus; attempt: number };
type Noted = { from: RunStatus | null; to: RunStatus; actor: string; attempt: number };
type Model = Row & {
  cancelling: boolean;
  /** By worker: the attempt that it claimed last. */
  held: (number | undefined)[];
  /** The worker that claimed the run last, while it is running. */
  holder: number | null;
  timeline: Noted[];
};
/** `fresh`: an outsider read the row just now, not a while ago. */
type Caller = { worker: number; fresh: boolean };
type Move = { cause: Cause; to: RunStatus };

const draws = kinds * workers * 2 * 4;

/**
 * What is tried next; a number is cheaper to draw and to shrink than an object. Three of four times it is a move that the
 * run's state allows, by whoever has the run, and seldom an end: else walks would hardly get anywhere.
 */
function decode(number: number, { status, holder }: Model): Caller & { move: Move | null } {
  const [kind, rest] = [number % kinds, Math.floor(number / kinds)];
  const drawn = { worker: rest % workers, fresh: Math.floor(rest / workers) % 2 === 1 };
  const allowed = moves.filter(({ cause }) => transitionOf(cause).from.includes(status));
  const likely = allowed.filter(({ to }) => isTerminal(to) === (kind % 8 === 0));
  const guided = rest >= workers * 2 ? likely[kind % Math.max(likely.length, 1)] : undefined;
  return guided
    ? { move: guided, worker: holder ?? drawn.worker, fresh: true }
    : { move: moves[kind] ?? null, ...drawn };
}

/** The attempt that the caller names. */
function namedAttempt(model: Model, cause: Cause, { worker, fresh }: Caller): number {
  return transitionOf(cause).names === "seen" && fresh ? model.attempt : (model.held[worker] ?? -1);
}

/** What the table says of a move. */
function isAllowed(model: Model, cause: Cause, attempt: number): boolean {
  const { from, names, unlessCancelling } = transitionOf(cause);
  if (!from.includes(model.status) || (unlessCancelling && model.cancelling)) return false;
  return names === "none" || attempt === model.attempt;
}

function apply(model: Model, { cause, to }: Move, worker: number): void {
  const { actor, attempt } = transitionOf(cause);
  if (attempt === "raise") model.attempt += 1;
  model.timeline.push({ from: model.status, to, actor, attempt: model.attempt });
  model.status = to;
  model.holder = cause === "claim" ? worker : null;
  if (cause === "claim") model.held[worker] = model.attempt;
  model.cancelling ||= cause === "wake_to_cancel";
}

/** Moves that only the worker may make that has the run. */
const workersOwn: readonly Cause[] = [
  "finish",
  "give_back",
  "restart",
  "lose_process",
  "interrupt",
  "retry",
  "continue_as",
];

/** What must hold whatever the table says. */
function judge(
  before: Model,
  after: Row,
  { cause, worker, moved }: { cause: Cause; worker: number; moved: boolean },
): void {
  const rise = after.attempt - before.attempt;
  const changed = before.status !== after.status || rise !== 0;
  const faults: Record<string, boolean> = {
    "moved a run that had ended": isTerminal(before.status) && changed,
    "says one thing, and the row another": moved !== changed,
    "changed the attempt by more than one": rise !== 0 && rise !== 1,
    "raised the attempt of a run that goes on": rise === 1 && cause !== "claim" && !isTerminal(after.status),
    "was by a worker that had lost the run": moved && workersOwn.includes(cause) && worker !== before.holder,
  };
  const found = Object.keys(faults).filter((fault) => faults[fault]);
  if (found.length > 0) throw new Error(`${cause} ${found.join(", ")}`);
}

/** `isGranted`: the run is accepted and claimed by one statement, for the first worker. */
async function walk(isGranted: boolean, numbers: readonly number[]): Promise<void> {
  const run = makeRun(randomUUID());
  const accepted = { from: null, to: "queued", actor: "api", attempt: 0 } as const;
  const model: Model = {
    status: "queued",
    attempt: 0,
    cancelling: false,
    held: [],
    holder: null,
    timeline: [accepted],
  };
  expect(await acts[isGranted ? "grant" : "accept"](db, { ...run, attempt: 0, to: "queued" })).toBe(true);
  if (isGranted) apply(model, { cause: "claim", to: "running" }, 0);
  for (const number of numbers) {
    const { move, ...caller } = decode(number, model);
    if (!move) {
      const asked = await acts.askToCancel(db, { ...run, attempt: model.attempt, to: model.status });
      expect(asked).toBe(model.status === "running");
      model.cancelling ||= asked;
      continue;
    }
    const before = { ...model };
    const attempt = namedAttempt(model, move.cause, caller);
    const moved = await acts[move.cause](db, { ...run, to: move.to, attempt });
    const row = await readRow(run.id);
    judge(before, row, { cause: move.cause, worker: caller.worker, moved });
    expect({ ...move, moved }).toEqual({ ...move, moved: isAllowed(model, move.cause, attempt) });
    if (moved) apply(model, move, caller.worker);
    expect(row).toEqual({ status: model.status, attempt: model.attempt });
  }
  expect(await readTimeline(run.id)).toEqual(model.timeline);
}

async function readRow(id: string): Promise<Row> {
  const { rows } = await stack.sql.query<Row>("SELECT status, attempt FROM runs WHERE id = $1", [id]);
  const [row] = rows;
  if (!row) throw new Error("the run is gone");
  return row;
}

async function readTimeline(id: string): Promise<Noted[]> {
  const { rows } = await stack.sql.query<Noted>(
    `SELECT "from", "to", actor, attempt FROM run_transitions WHERE run_id = $1 ORDER BY seq`,
    [id],
  );
  return rows;
}

test("whatever is tried in whatever order: the table decides, only the last claimer writes, an end is for ever, each move is in the timeline once", async () => {
  const sequence = fc.array(fc.nat(draws - 1), { minLength: 12, maxLength: 24 });
  await fc.assert(fc.asyncProperty(fc.boolean(), sequence, walk), { numRuns: 40 });
  const { rows } = await stack.sql.query<{ n: number }>("SELECT count(*)::int AS n FROM run_transitions");
  expect(rows[0]?.n).toBeGreaterThan(100);
}, 120_000);

test("of moves that race for one run each leaves its row of the timeline, the rows are a chain, and one at most is an end", async () => {
  for (let round = 0; round < 10; round += 1) {
    const run = makeRun(randomUUID());
    await acts.accept(db, { ...run, attempt: 0, to: "queued" });
    await acts.claim(db, { ...run, attempt: 0, to: "running" });
    const tried = moves.filter(({ cause }) => cause !== "accept");
    const moved = await Promise.all(tried.map(({ cause, to }) => acts[cause](racing, { ...run, to, attempt: 1 })));
    const timeline = await readTimeline(run.id);
    expect(timeline).toHaveLength(2 + moved.filter(Boolean).length);
    expect(timeline.map(({ from }) => from)).toEqual([null, ...timeline.slice(0, -1).map(({ to }) => to)]);
    expect(timeline.filter(({ to }) => isTerminal(to)).length).toBeLessThanOrEqual(1);
    const last = timeline.at(-1);
    expect(await readRow(run.id)).toEqual({ status: last?.to, attempt: last?.attempt });
  }
}, 120_000);

test("from each state that is no end, an end can be reached", () => {
  for (const { to } of moves.filter((move) => !isTerminal(move.to)))
    expect(moves.some((move) => transitionOf(move.cause).from.includes(to) && isTerminal(move.to))).toBe(true);
});
