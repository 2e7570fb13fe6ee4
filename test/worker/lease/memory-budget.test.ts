import { expect, test } from "vitest";
import { createMemoryBudget, memoryOf } from "../../../worker/lease/memory-budget.ts";

const MiB = 1024 * 1024;
const never = new AbortController().signal;

test("runs that say nothing take an eighth of a GiB; one that names its limit reserves it", () => {
  expect(memoryOf({})).toBe(128 * MiB);
  expect(memoryOf({ limits: { memory_mb: 600 } })).toBe(600 * MiB);
  const budget = createMemoryBudget(1024 * MiB);
  expect(budget.roomForRuns()).toBe(8);
});

test("a run waits until the runs before it give back what it needs, in order of asking", async () => {
  const budget = createMemoryBudget(1024 * MiB);
  const first = await budget.reserve(700 * MiB, never);
  const started: string[] = [];
  const large = budget.reserve(600 * MiB, never).then((free) => {
    started.push("large");
    return free;
  });
  const small = budget.reserve(100 * MiB, never).then(() => started.push("small"));
  expect(budget.roomForRuns()).toBe(0);
  await Promise.resolve();
  expect(started).toEqual([]);
  first?.();
  first?.();
  await Promise.all([large, small]);
  expect(started).toEqual(["large", "small"]);
  expect(budget.roomForRuns()).toBe(2);
});

test("a run that needs more than there is runs alone, and one that is cancelled meanwhile holds up nobody", async () => {
  const budget = createMemoryBudget(256 * MiB);
  const whole = await budget.reserve(4096 * MiB, never);
  const cancel = new AbortController();
  const cancelled = budget.reserve(4096 * MiB, cancel.signal);
  const next = budget.reserve(64 * MiB, never);
  cancel.abort();
  expect(await cancelled).toBeNull();
  const room = budget.untilRoom();
  whole?.();
  expect(await next).not.toBeNull();
  await room;
  expect(budget.roomForRuns()).toBe(1);
});

test("a worker with little memory still takes one run at a time", () => {
  expect(createMemoryBudget(64 * MiB).roomForRuns()).toBe(1);
});
