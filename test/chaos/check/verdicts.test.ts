import { expect, test } from "vitest";
import { whatIsUnproven } from "../../../chaos/durable/run-durable.ts";
import { changeFaults, executionFaults } from "../../../chaos/neighbour/run-neighbour.ts";
import { throwIfBroken } from "../../../chaos/report.ts";

test("a process that ended by itself fails chaos, as a broken promise does", () => {
  const kept = new Map([["runsEndOnce", []]]);
  expect(() => throwIfBroken(7, { broken: kept, surprises: 0 })).not.toThrow();
  expect(() => throwIfBroken(7, { broken: kept, surprises: 2 })).toThrow("2 processes ended by themselves");
  const broken = new Map([["runsEndOnce", ["run-1: success, twice"]]]);
  expect(() => throwIfBroken(7, { broken, surprises: 0 })).toThrow("broken with seed 7: runsEndOnce");
});

test("a verdict on durable runs of which too few were tried is a fault", () => {
  const tried = { runs: 5, left: 0, kills: { places: 1, entries: 0, moments: 0 }, surprises: 0 };
  expect(whatIsUnproven(tried)).toEqual([]);
  const nothing = { runs: 0, left: 5, kills: { places: 0, entries: 0, moments: 0 }, surprises: 1 };
  expect(whatIsUnproven(nothing)).toEqual([
    "no run was executed",
    "5 runs were not begun in time",
    "no worker was killed",
    "1 processes ended by themselves",
  ]);
});

test("an attack beside a neighbour of which no run was executed, before or meanwhile, is a fault", () => {
  expect(executionFaults({ "run.error": 3, "http 429": 9 })).toEqual([]);
  expect(executionFaults({ "http 422": 9, "no end": 1 })).toEqual([
    'no hostile run was executed: {"http 422":9,"no end":1}',
  ]);
  expect(executionFaults({})).toEqual(["no hostile run was executed: {}"]);
  const ended = (event: string) => ({ event, result: null, ms: 1 });
  expect(changeFaults(ended("run.success"), ended("run.success"))).toEqual([]);
  expect(changeFaults(ended("http 422"), ended("http 422"))).toEqual([
    "an honest run of the same agent ended as http 422",
  ]);
});
