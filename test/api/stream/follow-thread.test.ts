import { expect, test } from "vitest";
import { createBackfill } from "../../../api/stream/backfill.ts";
import { followThread } from "../../../api/stream/follow-thread.ts";
import { Tail } from "../../../api/stream/tail.ts";
import { beforeFirst, compareEventIds, type EventId } from "../../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";

const event = (seq: number, type: string): StreamEvent => ({ attempt: 1, seq, type, data: "{}" });

test("a run that is cancelled just after its question was read is told to its end", async () => {
  const events = [event(1, "run.started"), event(2, "run.interrupted")];
  const streams = {
    read: async (_id: string, after: EventId) => events.filter((one) => compareEventIds(one, after) > 0),
  };
  let looks = 0;
  /** The run waits when the reader of its events looks, and has ended by the next look at its row. */
  async function query({ name }: { name: string }) {
    if (!name.startsWith("read-run-states")) return { rows: [] };
    looks += 1;
    if (looks > 1 && events.length === 2) events.push(event(3, "run.cancelled"));
    const last = events.length;
    return { rows: [{ id: "run", status: last === 3 ? "cancelled" : "interrupted", attempt: 1, last_seq: last }] };
  }
  const db = { sql: { query } } as never;
  const hub = {
    backfill: createBackfill({ db, streams }),
    open: (id: string) => new Tail(id, Promise.resolve(), () => undefined),
  };
  const until = new AbortController();
  const giveUp = setTimeout(() => until.abort(), 3_000);
  const run = { id: "run", created_at: new Date(), due_at: new Date() } as never;
  const read: string[] = [];
  for await (const { events: told } of followThread(
    { db, hub },
    {} as never,
    { run, event: beforeFirst },
    until.signal,
  )) {
    read.push(...told.map(({ type }) => type));
    if (read.includes("run.cancelled")) break;
  }
  clearTimeout(giveUp);
  expect(read).toEqual(["run.started", "run.interrupted", "run.cancelled"]);
});
