import { expect, test } from "vitest";
import { followRun } from "../../../api/stream/follow-run.ts";
import { createTail } from "../../../api/stream/tail.ts";
import { firstEvent, formatEventId } from "../../../shared/run/event-id.ts";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";

const event = (attempt: number, seq: number, type: string, data: object = {}): StreamEvent => ({
  attempt,
  seq,
  type,
  data: JSON.stringify(data),
});
const waiting = event(0, 2, "run.waiting");
const end = event(1, 2, "run.success");

/** Follows a run from its queueing on, by a tail that brings `live`, over stores that hold `kept`. Counts their readings. */
async function follow(live: StreamEvent[], kept: StreamEvent[]): Promise<{ ids: string[]; readings: number }> {
  let readings = 0;
  const read = async () => {
    readings += 1;
    return kept;
  };
  const query = async () => ({ rows: [] });
  const tail = createTail(Promise.resolve(), () => {});
  tail.deliver(live);
  const deps = { streams: { read }, db: { sql: { query } } } as never;
  const ids: string[] = [];
  for await (const events of followRun(deps, "run", tail, { cursor: firstEvent, fresh: true }))
    ids.push(...events.map(formatEventId));
  return { ids, readings };
}

test("a reader of a run that never waited needs no look into the stores, from its start to its end", async () => {
  const started = event(1, 1, "run.started", { follows: "0-1" });
  expect(await follow([started, end], [])).toEqual({ ids: ["1-1", "1-2"], readings: 0 });
});

test("a reader that missed why its run waited is told from the stores before the run starts", async () => {
  const started = event(1, 1, "run.started");
  const { ids, readings } = await follow([started, end], [waiting, started, end]);
  expect(ids).toEqual(["0-2", "1-1", "1-2"]);
  expect(readings).toBeGreaterThan(0);
});
