import { expect, test } from "vitest";
import { backoffMs, countCrash } from "../../../worker/daemons/crash-backoff.ts";

test("crashes in a row wait from 1 s to 60 s, and then it has failed", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 8].map((crashes) => backoffMs(crashes, 1));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, null]);
});

test("a process that stayed up for a minute has left the crashes before it behind", () => {
  expect(countCrash(5, 59_999, 1)).toBe(6);
  expect(countCrash(5, 60_000, 1)).toBe(1);
});
