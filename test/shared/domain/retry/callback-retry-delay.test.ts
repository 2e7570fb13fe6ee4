import { expect, test } from "vitest";
import { nextTryDelayMs } from "../../../../shared/domain/retry/callback-retry-delay.ts";

const plain = { scale: 1, random: 0.5, retryAfterSeconds: null };
const minutes = (ms: number | null) => (ms === null ? null : ms / 60_000);

test("ten tries, over a bit more than three days, then none", () => {
  const delays = Array.from({ length: 11 }, (_, tries) => minutes(nextTryDelayMs(tries, plain)));
  expect(delays).toEqual([0, 5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, null]);
});

test("a delay varies by a fifth either way, so that receivers aren't hit by all at once", () => {
  expect(nextTryDelayMs(2, { ...plain, random: 0 })).toBe(240_000);
  expect(nextTryDelayMs(2, { ...plain, random: 0.999999 })).toBe(360_000);
});

test("a receiver may ask for a longer delay, a day at most, and not for a shorter one", () => {
  expect(nextTryDelayMs(1, { ...plain, retryAfterSeconds: 120 })).toBe(120_000);
  expect(nextTryDelayMs(1, { ...plain, retryAfterSeconds: 9_999_999 })).toBe(86_400_000);
  expect(nextTryDelayMs(2, { ...plain, retryAfterSeconds: 1 })).toBe(300_000);
  expect(nextTryDelayMs(10, { ...plain, retryAfterSeconds: 1 })).toBeNull();
});

test("a scale shrinks the schedule, but not what the receiver asks for", () => {
  expect(nextTryDelayMs(2, { ...plain, scale: 0.001 })).toBe(300);
  expect(nextTryDelayMs(2, { ...plain, scale: 0.001, retryAfterSeconds: 2 })).toBe(2000);
});
