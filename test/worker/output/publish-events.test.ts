import { expect, test } from "vitest";
import type { StreamEvent } from "../../../shared/schemas/run-event.ts";
import type { RunStreams } from "../../../shared/platform/stream/run-streams.ts";
import { createPublisher } from "../../../worker/output/publish-events.ts";

const event = (seq: number, type = "output.delta"): StreamEvent => ({ attempt: 1, seq, type, data: "{}" });

/** A stream that fails as long as `isAway` says; what it has got, and how often it was tried. */
function createStream(isAway: () => boolean) {
  const got: number[] = [];
  let tries = 0;
  const append: RunStreams["append"] = async (_runId, events) => {
    tries += 1;
    await new Promise(setImmediate);
    if (isAway()) throw new Error("Connection is closed.");
    got.push(...events.map(({ seq }) => seq));
    return "written";
  };
  const publisher = createPublisher({ append } as RunStreams, "run", () => undefined);
  return { publisher, got, tries: () => tries };
}

test("a connection that is cut for a moment leaves no hole in the stream, and nothing out of order", async () => {
  let cuts = 2;
  const { publisher, got } = createStream(() => cuts-- > 0);
  publisher.add([event(1), event(2)]);
  await new Promise(setImmediate);
  publisher.add([event(3)]);
  await publisher.settled();
  publisher.add([event(4)]);
  await publisher.settled();
  expect(got).toEqual([1, 2, 3, 4]);
  expect(publisher.backlog()).toBe(0);
});

test("a Redis that stays away is waited for once, not by each event; when it is back the stream goes on", async () => {
  let away = true;
  const { publisher, got, tries } = createStream(() => away);
  publisher.add([event(1)]);
  await publisher.settled();
  const before = tries();
  publisher.add([event(2)]);
  await publisher.settled();
  expect(tries()).toBe(before + 1);
  expect(publisher.backlog()).toBe(0);
  away = false;
  publisher.add([event(3)]);
  await publisher.settled();
  expect(got).toEqual([3]);
});

test("steps that take no time go in one batch, and what the agent says takes them along at once", async () => {
  const { publisher, got, tries } = createStream(() => false);
  publisher.add([event(1, "step.start")]);
  await expect.poll(() => got).toEqual([1]);
  for (let seq = 2; seq < 40; seq += 1) {
    publisher.add([event(seq, "step.end")]);
    await new Promise(setImmediate);
  }
  expect(tries()).toBe(1);
  publisher.add([event(40)]);
  await new Promise(setImmediate);
  expect(got).toHaveLength(40);
  expect(tries()).toBe(2);
  publisher.add([event(41, "step.end")]);
  await expect.poll(() => got).toHaveLength(41);
});

test("who waits while there is nothing to send waits for nothing, and what comes later is sent", async () => {
  const { publisher, got } = createStream(() => false);
  await publisher.settled();
  publisher.add([event(1)]);
  await publisher.settled();
  expect(got).toEqual([1]);
});
