import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBackfill } from "../../../api/stream/backfill.ts";
import { followRun, type RunReader } from "../../../api/stream/follow-run.ts";
import { createEncodeOnce } from "../../../api/stream/encoded-chunk.ts";
import { Tail } from "../../../api/stream/tail.ts";
import { formatEventId } from "../../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";

const event = (attempt: number, seq: number, type = "output.delta", data: object = {}): StreamEvent => ({
  attempt,
  seq,
  type,
  data: JSON.stringify(data),
});

/** A run of which Redis holds `live`, with readers as many as are opened, and how often Redis was asked. */
function createRun(live: StreamEvent[]) {
  let asked = 0;
  const streams = {
    read: async () => {
      asked += 1;
      return live;
    },
  };
  const db = { sql: { query: async () => ({ rows: [] }) } } as never;
  const backfill = createBackfill({ db, streams });
  function open(fresh: boolean, take: RunReader["take"] = () => undefined, cursor = { attempt: 1, seq: 1 }) {
    const seen: string[] = [];
    const batches: StreamEvent[][] = [];
    const tail = new Tail("run", Promise.resolve(), () => undefined);
    const note = (events: StreamEvent[]) => {
      batches.push(events);
      seen.push(...events.map(formatEventId));
    };
    const reader: RunReader = {
      take(events) {
        note(events);
        return take(events);
      },
      end(events) {
        note(events);
        seen.push("end");
      },
      fail: (error) => seen.push(String(error)),
    };
    followRun({ db, hub: { backfill } }, "run", tail, { cursor, fresh, reader });
    return { tail, seen, batches };
  }
  return { open, asked: () => asked };
}

test("a reader that is behind gets what came meanwhile afterwards, once and in order, up to the end", async () => {
  const released: (() => void)[] = [];
  const { tail, seen } = createRun([]).open(true, () => new Promise((resolve) => released.push(resolve)));
  tail.deliver([event(1, 2)]);
  tail.deliver([event(1, 3)]);
  tail.deliver([event(1, 3), event(1, 4)]);
  await turn();
  expect(seen).toEqual(["1-2"]);
  released.shift()?.();
  await turn();
  expect(seen).toEqual(["1-2", "1-3", "1-4"]);
  tail.deliver([event(1, 5, "run.success")]);
  released.shift()?.();
  await turn();
  tail.deliver([event(1, 6)]);
  expect(seen).toEqual(["1-2", "1-3", "1-4", "1-5", "end"]);
});

test("two batches that come at once both reach a reader who keeps up", () => {
  const { tail, seen } = createRun([]).open(true);
  tail.deliver([event(1, 2)]);
  tail.deliver([event(1, 3)]);
  expect(seen).toEqual(["1-2", "1-3"]);
});

test("readers of one run whom the same event sends to the stores ask there once, and what they are sent is encoded once", async () => {
  const run = createRun([event(1, 2), event(1, 3)]);
  const readers = Array.from({ length: 1_000 }, () => run.open(true));
  for (const { tail } of readers) tail.deliver([event(1, 3)]);
  await turn();
  const asked = run.asked();
  const encode = createEncodeOnce();
  const batch = [event(1, 4)];
  for (const { tail } of readers) tail.deliver(batch);
  expect(new Set(readers.map(({ seen }) => seen.join(" ")))).toEqual(new Set(["1-2 1-3 1-4"]));
  expect(new Set(readers.flatMap(({ batches }) => batches.map(encode))).size).toBe(2);
  // It reads until the stores hold nothing more.
  expect(asked).toBe(2);
  await turn();
  readers[0]?.tail.deliver([event(1, 6)]);
  await turn();
  expect(run.asked()).toBeGreaterThan(asked);
});

test("a reader that goes while the stores are read asks them no further", async () => {
  const run = createRun([event(1, 2)]);
  const { tail, seen } = run.open(false);
  tail.close();
  await turn();
  expect(seen.at(-1)).toBe("end");
  expect(run.asked()).toBe(1);
});

test("a reader of a run that never waited needs no look into the stores, from its start to its end", async () => {
  const run = createRun([]);
  const { tail, seen } = run.open(true, undefined, { attempt: 0, seq: 1 });
  tail.deliver([event(1, 1, "run.started", { follows: "0-1" }), event(1, 2, "run.success")]);
  await turn();
  expect(seen).toEqual(["1-1", "1-2", "end"]);
  expect(run.asked()).toBe(0);
});

test("a reader that missed why its run waited is told from the stores before the run starts", async () => {
  const [waiting, started] = [event(0, 2, "run.waiting"), event(1, 1, "run.started")];
  const { tail, seen } = createRun([waiting, started]).open(true, undefined, { attempt: 0, seq: 1 });
  tail.deliver([started]);
  await turn();
  expect(seen).toEqual(["0-2", "1-1"]);
});

test("a reader who names a place behind the end of a run that still works is let go when it has ended", async () => {
  const { tail, seen } = createRun([]).open(false, undefined, { attempt: 1, seq: 99 });
  await turn();
  tail.deliver([event(1, 7, "run.success")]);
  tail.seeRow({ id: "run", status: "running", last: { attempt: 1, seq: 6 } });
  await turn();
  expect(seen).toEqual([]);
  tail.seeRow({ id: "run", status: "success", last: { attempt: 1, seq: 7 } });
  await turn();
  expect(seen).toEqual(["end"]);
});
