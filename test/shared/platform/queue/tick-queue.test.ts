import { afterAll, expect, test } from "vitest";
import { openTickQueue } from "../../../../shared/platform/queue/tick-queue.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const ticks = openTickQueue(stack.redisUrl, stack.prefix, () => undefined);
afterAll(() => ticks.close());

test("Redis holds nudges of ticks that come soon, and none of those that come in years, however often they are changed", async () => {
  const soon = new Date(Date.now() + 60_000);
  for (let n = 0; n < 50; n += 1) await ticks.arm("job_a", new Date(Date.UTC(2090, 0, 1, 0, 0, n)));
  await ticks.arm("job_a", soon);
  const queue = `${stack.prefix}bull:ticks:`;
  expect(await stack.redis.keys(`${queue}job_a*`)).toEqual([`${queue}job_a-${soon.getTime()}`]);
  expect(await stack.redis.zcard(`${queue}delayed`)).toBe(1);
});
