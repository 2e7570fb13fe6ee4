import { expect, test } from "vitest";
import { countMissed, type Check } from "../../../worker/fleet/detect-stall.ts";

/** A second after the one before; meanwhile the worker polled, and tried a run. */
const look = (more: Partial<Check>): Check => ({
  before: 1_000,
  runWaits: true,
  polledAt: 1_500,
  triedAt: 1_600,
  ...more,
});

test("a look is in vain while a run waits that the worker doesn't look for, or doesn't try", () => {
  expect(countMissed(4, look({ polledAt: 900 }))).toBe(5);
  expect(countMissed(4, look({ triedAt: 900 }))).toBe(5);
});

test("a worker that polls and tries, or that no run waits for, begins anew", () => {
  expect(countMissed(4, look({}))).toBe(0);
  expect(countMissed(4, look({ runWaits: false, polledAt: 0, triedAt: 0 }))).toBe(0);
});
