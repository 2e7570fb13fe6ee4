import { expect, test } from "vitest";
import { createByteQueue } from "../../../worker/channel/byte-queue.ts";

const part = (text: string): Uint8Array => new TextEncoder().encode(text);
const large = new Uint8Array(40_000);

test("a reader gets what came before it and what comes later, in order, up to the end", async () => {
  const queue = createByteQueue(() => undefined);
  queue.push(part("a"));
  const read: string[] = [];
  const reading = (async () => {
    for await (const bytes of queue) read.push(new TextDecoder().decode(bytes));
  })();
  await Promise.resolve();
  queue.push(part("b"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(read).toEqual(["a", "b"]);
  queue.push(part("c"));
  queue.end();
  await reading;
  expect(read).toEqual(["a", "b", "c"]);
});

test("who writes is told when enough waits, and once when there is room again", async () => {
  let rooms = 0;
  const queue = createByteQueue(() => void (rooms += 1));
  expect([queue.push(large), queue.push(large), queue.push(large)]).toEqual([true, false, false]);
  const reader = queue[Symbol.asyncIterator]();
  await reader.next();
  expect(rooms).toBe(0);
  await reader.next();
  expect(rooms).toBe(1);
  await reader.next();
  expect(rooms).toBe(1);
});
