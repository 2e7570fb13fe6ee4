import fc from "fast-check";
import { expect, test } from "vitest";
import { backfill } from "../../../api/stream/backfill.ts";
import { faultOfOrder } from "../../../chaos/check/streams-agree.ts";
import { compareEventIds, type EventId, formatEventId } from "../../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";

/**
 * What became of a run's events. `lengths`: of its attempts. `saved`: how many of each the transcript has. `flushed`, `away`:
 * how many at the beginning and at the end Redis has lost. `ended`: the last attempt is the run's end, as it was committed.
 * `page`: how many events of the transcript are read at once.
 */
type Log = {
  lengths: number[];
  saved: number[];
  flushed: number;
  away: number;
  ended: boolean;
  cursor: number;
  page?: number;
};

const count = fc.nat(5);
const logs: fc.Arbitrary<Log> = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  saved: fc.array(count, { minLength: 4, maxLength: 4 }),
  flushed: fc.nat(20),
  away: fc.nat(8),
  ended: fc.boolean(),
  cursor: fc.nat(20),
  page: fc.integer({ min: 1, max: 8 }),
});

function tell({ lengths, saved, flushed, away, ended }: Log) {
  const last = lengths.length;
  const all: StreamEvent[] = lengths.flatMap((length, i) =>
    Array.from({ length }, (_, place) => {
      const isEnd = ended && i + 1 === last && place + 1 === length;
      const type = isEnd ? "run.success" : "output.delta";
      return { attempt: i + 1, seq: place + 1, type, data: `${i + 1}-${place + 1}` };
    }),
  );
  const isSaved = ({ attempt, seq }: EventId) => (ended && attempt === last) || seq <= (saved[attempt - 1] ?? 0);
  return { all, stored: all.filter(isSaved), live: all.slice(flushed, Math.max(flushed, all.length - away)) };
}

/** The stores as `backfill` asks them. */
function storesOf(
  { all, stored, live }: ReturnType<typeof tell>,
  ended: boolean,
  page = 20,
): Parameters<typeof backfill>[0] {
  const after = (events: StreamEvent[], cursor: EventId) => events.filter((one) => compareEventIds(one, cursor) > 0);
  const query = ({ name, values }: { name: string; values: [unknown, number, number] }) => {
    if (name.startsWith("read-run-states"))
      return {
        rows: [{ id: "run", status: ended ? "success" : "running", attempt: all.at(-1)?.attempt, last_seq: 0 }],
      };
    const rows = after(stored, { attempt: values[1], seq: values[2] }).slice(0, page);
    return { rows: rows.map(({ attempt, seq, type, data }) => ({ attempt, events: [[seq, type, data]] })) };
  };
  const streams = { read: async (_id: string, cursor: EventId) => after(live, cursor) };
  return { db: { sql: { query: async (statement: never) => query(statement) } }, streams } as never;
}

async function readAll(deps: Parameters<typeof backfill>[0], from: EventId): Promise<StreamEvent[]> {
  const seen: StreamEvent[] = [];
  let cursor = from;
  for (;;) {
    const { events } = await backfill(deps, "run", cursor);
    const last = events.at(-1);
    if (!last) return seen;
    seen.push(...events);
    cursor = last;
  }
}

test("whatever Redis lost and the transcript lacks: a reader sees no gap unsaid, nothing twice, all that is stored, the end", async () => {
  const property = fc.asyncProperty(logs, async (log) => {
    const told = tell(log);
    const at = told.all[log.cursor % (told.all.length + 1)];
    const from = at ?? { attempt: 0, seq: 1 };
    const seen = await readAll(storesOf(told, log.ended, log.page), from);
    const events = seen.map((event) => ({ ...event, id: formatEventId(event) }));
    const before = told.all
      .slice(0, at ? told.all.indexOf(at) + 1 : 0)
      .map((one) => ({ ...one, id: formatEventId(one) }));
    const fault = faultOfOrder([{ id: "0-1", type: "run.queued", data: "" }, ...before, ...events]);
    if (fault) throw new Error(fault);
    const wrong = seen.find(({ type, data, attempt, seq }) => type !== "gap" && data !== `${attempt}-${seq}`);
    if (wrong) throw new Error(`another ${formatEventId(wrong)}`);
    if (!log.ended && seen.some(({ type, attempt }) => type === "gap" && attempt === told.all.at(-1)?.attempt))
      throw new Error("a gap was said while the attempt may still fill it");
    const ids = new Set(seen.filter(({ type }) => type !== "gap").map(formatEventId));
    const to = log.ended ? told.all.at(-1) : seen.at(-1);
    const isDue = (one: EventId): boolean => compareEventIds(one, from) > 0 && compareEventIds(one, to ?? from) <= 0;
    const missed = told.stored.find((one) => isDue(one) && !ids.has(formatEventId(one)));
    if (missed) throw new Error(`missed ${formatEventId(missed)}`);
  });
  await expect(fc.assert(property, { numRuns: 100_000 })).resolves.toBeUndefined();
}, 300_000);

test("a run that ends just after its transcript was read has no gap: its end wrote down what Redis had lost", async () => {
  const told = tell({ lengths: [5], saved: [2, 0, 0, 0], flushed: 0, away: 0, ended: true, cursor: 0 });
  const [before, after] = [told.stored.slice(0, 2), told.stored];
  // Redis lost 1-3; the transcript gets it with the run's end, which comes between the reader's two looks at Postgres.
  const world = { stored: before, live: told.all.filter(({ seq }) => seq !== 3) };
  const query = async (statement: { name: string }) => {
    if (statement.name.startsWith("read-run-states")) world.stored = after;
    return storesOf({ ...told, ...world }, true).db.sql.query(statement as never);
  };
  const read = async (_id: string, cursor: EventId) => world.live.filter((one) => compareEventIds(one, cursor) > 0);
  const seen = await readAll({ db: { sql: { query } }, streams: { read } } as never, { attempt: 0, seq: 1 });
  expect(seen.map((event) => `${event.type} ${formatEventId(event)}`)).toEqual([
    ...[1, 2, 3, 4].map((seq) => `output.delta 1-${seq}`),
    "run.success 1-5",
  ]);
});

test("behind a hole in an attempt that was lost nothing is kept, and a reader is told of all of it as one gap", async () => {
  const told = tell({ lengths: [5, 2], saved: [0, 0, 0, 0], flushed: 2, away: 0, ended: true, cursor: 0 });
  const seen = await readAll(storesOf(told, true), { attempt: 0, seq: 1 });
  expect(seen.map((event) => `${event.type} ${formatEventId(event)}`)).toEqual([
    "gap 1-5",
    "output.delta 2-1",
    "run.success 2-2",
  ]);
});

test("a hole in an attempt that was lost doesn't hold who reads on in the next one, which is at work", async () => {
  const told = tell({ lengths: [5, 2], saved: [2, 0, 0, 0], flushed: 0, away: 0, ended: false, cursor: 0 });
  const live = told.all.filter(({ attempt, seq }) => attempt !== 1 || seq !== 3);
  const seen = await readAll(storesOf({ ...told, live }, false), { attempt: 0, seq: 1 });
  expect(seen.map((event) => `${event.type} ${formatEventId(event)}`)).toEqual([
    "output.delta 1-1",
    "output.delta 1-2",
    "gap 1-5",
    "output.delta 2-1",
    "output.delta 2-2",
  ]);
});
