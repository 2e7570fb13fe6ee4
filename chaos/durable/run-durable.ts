import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type EventId, parseEventId } from "../../shared/domain/run/event-id.ts";
import { voidedBy, type Withdrawal } from "../../shared/domain/run/void-events.ts";
import { createRandom, type Random } from "../random.ts";
import { builtMembers, type ChaosStack, openChaosStack } from "../stack/open-stack.ts";
import { programs } from "./programs.ts";

export type DurableOptions = { seed: number; runs: number; clients: number };

/** `faults`: what a run did other than the same program's run that nothing disturbed. */
export type DurableVerdict = { runs: number; kills: number; restarts: number; faults: string[]; surprises: number };

type Told = { id: string; event: string; data: Record<string, unknown> & Withdrawal };
type Shown = { ended: string; result: string; lanes: string };

const pollMs = 5;
const runMs = 120_000;
/** A worker is killed after so many commits of entries, at most. */
const mostCommits = 12;

/**
 * Executes programs that do steps while workers are killed right after commits of entries, and compares each run with a run of
 * its program that nothing disturbed: the result, the words that stand, that no step began after its end, and that each call started one run.
 */
export async function runDurable(
  { seed, runs, clients }: DurableOptions,
  signal: AbortSignal,
  commands = builtMembers,
): Promise<DurableVerdict> {
  const stack = await openChaosStack(3, commands);
  const sql = new pg.Pool({ connectionString: stack.postgres.url, max: 3 });
  sql.on("error", () => undefined);
  const random = createRandom(`${seed}/durable`);
  const faults: string[] = [];
  let restarts = 0;
  try {
    const [url] = stack.apiUrls;
    const names = Object.keys(programs);
    for (const name of names) await publish(url, name);
    const quiet = new Map<string, Shown>();
    for (const name of names) quiet.set(name, shownOf(await execute(url, name)));
    for (const [name, { ended }] of quiet) if (ended !== "run.success") faults.push(`${name}, undisturbed: ${ended}`);
    const over = new AbortController();
    const killing = killWorkers({ stack, sql, random, signal: AbortSignal.any([signal, over.signal]) });
    let left = faults.length > 0 ? 0 : runs;
    const client = async (): Promise<void> => {
      while (left > 0 && !signal.aborted) {
        const name = names[left % names.length] ?? "";
        left -= 1;
        const events = await execute(url, name).catch((error: unknown) => String(error));
        if (typeof events === "string") {
          faults.push(`${name}: ${events}`);
          continue;
        }
        restarts += events.filter(({ event }) => event === "run.started").length - 1;
        faults.push(...faultsOf(name, events, quiet.get(name)));
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
    over.abort();
    const kills = await killing;
    faults.push(...(await faultsOfPlaces(sql)), ...(await faultsOfChildren(sql)));
    const surprises = [...stack.apis, ...stack.workers].reduce((sum, member) => sum + member.surprises(), 0);
    return { runs, kills, restarts, faults, surprises };
  } finally {
    await sql.end();
    await stack.close(faults.length > 0);
  }
}

async function publish(url: string, name: string): Promise<void> {
  const config = { ...programs[name], max_attempts: 100 };
  const answer = await post(`${url}/v1/agents`, { user_id: "durable", id: name, name, version: "1.0.0", config });
  if (!answer.ok) throw new Error(`agent ${name}: ${answer.status} ${await answer.text()}`);
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

/** Executes one run, and returns all of its events as they are stored. */
async function execute(url: string, agent_id: string): Promise<Told[]> {
  const accepted = await post(`${url}/v1/execute`, { agent_id, version: "current" }, { prefer: "respond-async" });
  if (!accepted.ok) throw new Error(`${agent_id} was refused: ${accepted.status} ${await accepted.text()}`);
  const { id } = (await accepted.json()) as { id: string };
  const until = performance.now() + runMs;
  for (;;) {
    const answer = await fetch(`${url}/v1/runs/${id}/stream`, { signal: AbortSignal.timeout(runMs) });
    const events = readAll(await answer.text());
    const last = events.at(-1)?.event ?? "";
    if (/^run\.(success|error|timeout|cancelled|expired)$/.test(last) || performance.now() > until) return events;
  }
}

const readAll = (text: string): Told[] =>
  text.split("\n\n").flatMap((message) => {
    const field = (name: string) =>
      message
        .split("\n")
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const [id, event, data] = [field("id"), field("event"), field("data")];
    return id && event && data ? [{ id, event, data: JSON.parse(data) as Told["data"] }] : [];
  });

const placeOf = ({ id }: Told): EventId => parseEventId(id) ?? { attempt: 0, seq: 0 };

/** What a client shows at the end: the words that stand, lane by lane. */
function shownOf(events: readonly Told[]): Shown {
  let said: Told[] = [];
  for (const event of events) {
    if (event.event === "run.started" || event.event === "step.retrying") {
      const isVoid = voidedBy(event.data);
      said = said.filter((earlier) => !isVoid(placeOf(earlier)));
    }
    if (event.event === "custom" || event.event === "output.delta") said.push(event);
  }
  const words = said.map(({ data }) => (data["value"] ?? data["content"]) as { lane: string });
  const lanes = groupByLane(words);
  const last = events.at(-1);
  return {
    ended: last?.event ?? "nothing",
    result: JSON.stringify(last?.data["result_content"]),
    lanes: JSON.stringify([...lanes].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function groupByLane(words: readonly { lane: string }[]): Map<string, { lane: string }[]> {
  const lanes = new Map<string, { lane: string }[]>();
  for (const word of words) lanes.set(word.lane, [...(lanes.get(word.lane) ?? []), word]);
  return lanes;
}

function faultsOf(name: string, events: readonly Told[], quiet: Shown | undefined): string[] {
  const shown = shownOf(events);
  const id = String(events[0]?.data["run_id"]);
  const done = new Set<unknown>();
  const twice = events.filter(({ event, data }) => {
    if (event === "step.end" && data["ok"] === true) done.add(data["key"]);
    return event === "step.start" && done.has(data["key"]);
  });
  const differing = (["ended", "result", "lanes"] as const).filter((part) => shown[part] !== quiet?.[part]);
  return [
    ...twice.map(({ data }) => `${name} ${id}: step ${String(data["key"])} ran again after its end`),
    ...differing.map((part) => `${name} ${id}: ${part} is ${shown[part]} instead of ${quiet?.[part]}`),
  ];
}

/** Each run's entries are numbered without a gap. */
async function faultsOfPlaces(sql: pg.Pool): Promise<string[]> {
  const { rows } = await sql.query<{ run_id: string }>(
    `SELECT run_id FROM journal_entries JOIN run_journals USING (run_id) GROUP BY run_id, last_place
     HAVING count(*) <> last_place OR max(place) <> last_place OR count(DISTINCT place) <> last_place`,
  );
  return rows.map(({ run_id }) => `${run_id}: its entries aren't numbered from 1 on`);
}

/** Each call that starts a run has started one, however often its run began. */
async function faultsOfChildren(sql: pg.Pool): Promise<string[]> {
  const { rows } = await sql.query<{ id: string; agent_id: string; children: number; calls: number }>(
    `SELECT parent.id, parent.agent_id, count(child.id)::int AS children, count(DISTINCT child.parent_key)::int AS calls
     FROM runs parent LEFT JOIN runs child ON child.parent_run_id = parent.id
     WHERE parent.status = 'success' GROUP BY parent.id`,
  );
  return rows
    .filter(({ agent_id, children, calls }) => children !== calls || calls !== (programs[agent_id]?.children ?? 0))
    .map(({ id, agent_id, children, calls }) => `${agent_id} ${id}: ${children} runs of ${calls} calls`);
}

type Killing = { stack: ChaosStack; sql: pg.Pool; random: Random; signal: AbortSignal };

/** Kills workers right after commits of entries, and returns how many. What a dead worker held lapses at once. */
async function killWorkers({ stack, sql, random, signal }: Killing): Promise<number> {
  const committed = async (): Promise<number> => {
    const { rows } = await sql.query<{ sum: number }>(
      "SELECT coalesce(sum(last_place), 0)::int AS sum FROM run_journals",
    );
    return rows[0]?.sum ?? 0;
  };
  let kills = 0;
  let next = (await committed()) + 1 + random.below(mostCommits);
  while (!signal.aborted) {
    await sleep(pollMs);
    if ((await committed()) < next) continue;
    const { rows } = await sql.query<{ worker_id: string }>(
      "SELECT DISTINCT worker_id FROM runs WHERE status = 'running'",
    );
    const busy = stack.workers.filter((worker) => rows.some(({ worker_id }) => worker_id === worker.workerId()));
    const [first, ...others] = busy;
    if (first) {
      const worker = random.pick([first, ...others]);
      const id = worker.workerId();
      const gone = worker.gone();
      worker.signal("SIGKILL");
      await gone;
      await sql.query("UPDATE runs SET lease_until = now() WHERE status = 'running' AND worker_id = $1", [id]);
      kills += 1;
    }
    next = (await committed()) + 1 + random.below(mostCommits);
  }
  return kills;
}
