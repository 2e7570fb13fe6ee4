import { expect, test } from "vitest";
import { followTask } from "../../../api/protocols/a2a/follow-task.ts";
import { translateRun } from "../../../api/protocols/a2a/translate-run.ts";
import { Tail } from "../../../api/stream/tail.ts";
import type { RunEvent } from "../../../shared/schemas/run-event.ts";

const event = (seq: number, type: string, more: object = {}): RunEvent =>
  ({ run_id: "r", attempt: 1, seq, ts: "", type, ...more }) as RunEvent;
const none = { backfill: async () => ({ events: [], gapAhead: false }) };

/** Follows a task of which `events` were read before, until its tail ends. */
async function follow(events: RunEvent[], end: (tail: Tail) => void): Promise<unknown[]> {
  const said = { input: null, answers: new Map() };
  const translation = translateRun({ taskId: "r", contextId: "c", said, base: "" });
  for (const one of events) translation.push(one);
  const tail = new Tail("r", Promise.resolve(), () => undefined);
  const cursor = { attempt: 1, seq: events.length };
  const following = { tail, translation, cursor, fresh: false, gone: new AbortController().signal };
  const messages: unknown[] = [];
  end(tail);
  for await (const some of followTask({ db: {} as never, hub: none }, following)) messages.push(...some);
  return messages;
}
const started = event(1, "run.started");
const success = event(2, "run.success", { result_content: null, usage: null });

test("the stream of a task that ended while its events were read ends in order", async () => {
  const last = { attempt: 1, seq: 2 };
  expect(await follow([started, success], (tail) => tail.seeRow({ id: "r", status: "success", last }))).toEqual([]);
});

test("a stream that ends before its task is broken off", async () => {
  await expect(follow([started], (tail) => tail.end())).rejects.toThrow("Ask for the task again");
});
