import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { collectRun } from "../../../api/protocols/collect-run.ts";
import { Tail } from "../../../api/stream/tail.ts";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";

const event = (seq: number, type: string): StreamEvent => ({ attempt: 1, seq, type, data: JSON.stringify({ type }) });
const asked = event(3, "run.interrupted");

/** Collects an answered run of which these events are stored, by a process that leaves then. */
async function collect(events: StreamEvent[]): Promise<boolean> {
  const tail = new Tail("r", Promise.resolve(), () => undefined);
  const backfill = async (_run: string, { seq }: { seq: number }) => ({
    events: events.filter((one) => one.seq > seq),
    gapAhead: false,
  });
  const cursor = { attempt: 1, seq: 3 };
  const followed = { run_id: "r", thread_id: null, queued: null, cursor, tail };
  const deps = { db: { sql: { query: async () => ({ rows: [] }) } }, hub: { backfill } } as unknown as Parameters<
    typeof collectRun
  >[0];
  const collected = collectRun(deps, followed, () => undefined, new AbortController().signal);
  await turn();
  tail.end();
  return collected;
}

test("an answered run isn't whole by the question that was answered", async () => {
  const begun = [event(1, "run.queued"), event(2, "run.started"), asked];
  expect(await collect(begun)).toBe(false);
  expect(await collect([...begun, event(4, "run.started")])).toBe(false);
  expect(await collect([...begun, event(4, "run.started"), event(5, "run.success")])).toBe(true);
  expect(await collect([...begun, event(4, "run.interrupted")])).toBe(true);
});
