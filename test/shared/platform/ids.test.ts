import { expect, test } from "vitest";
import { newId } from "../../../shared/platform/ids.ts";

test("ids of one process stand in the order in which they were made, and none comes twice, also within one millisecond", () => {
  const ids = Array.from({ length: 20_000 }, () => newId("run"));
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => /^run_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(id))).toBe(true);
});

test("an id tells when it was made", () => {
  const before = Date.now();
  const made = Number.parseInt(newId("run").slice(4, 16), 16);
  expect(made).toBeGreaterThanOrEqual(before);
  expect(made).toBeLessThanOrEqual(Date.now());
});

test("what follows in an id can't be guessed from the last one", () => {
  const tails = Array.from({ length: 1_000 }, () => newId("run").slice(-10));
  expect(new Set(tails).size).toBe(tails.length);
});
