import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addHistograms,
  type Histogram,
  percentiles,
  quantile,
  readHistograms,
  steps,
} from "../../../../shared/domain/analytics/histogram.ts";

const indexOf = (value: number): number => Math.floor(Math.log2(Math.max(value, 1)) * 8);

function histogramOf(values: number[]): Histogram {
  return readHistograms(JSON.stringify(values.map((value) => [indexOf(value), 1])));
}

test("a percentile lies within 10 % of a value that has as many below it", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 5, max: 3_600_000 }), { minLength: 1, maxLength: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, q) => {
        const sorted = values.toSorted((a, b) => a - b);
        const found = quantile(histogramOf(values), q) ?? Number.NaN;
        const exact = sorted[Math.max(0, Math.ceil(q * sorted.length - 1e-9) - 1)] ?? Number.NaN;
        return found >= exact / 1.1 - 1 && found <= exact * 1.1 + 1;
      },
    ),
    { numRuns: 5_000 },
  );
});

test("no values have no percentiles and no steps", () => {
  expect(percentiles([])).toEqual({ p50: null, p95: null, p99: null });
  expect(steps([])).toEqual([]);
});

test("the percentiles of nothing but zeros are 0", () => {
  expect(percentiles(histogramOf([0, 0, 0]))).toEqual({ p50: 0, p95: 0, p99: 0 });
});

test("steps join without a gap and hold every value once", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 1 }), (values) => {
      const found = steps(histogramOf(values));
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(values.length);
      for (const [place, step] of found.entries()) expect(found[place + 1]?.from ?? step.to).toBe(step.to);
    }),
  );
});

test("added up or read from one text: several are what all of their values make", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 3_600_000 }))), (groups) => {
      const each = groups.map((values) => histogramOf(values));
      expect(addHistograms(each)).toEqual(histogramOf(groups.flat()));
      const texts = each.map((counts) => JSON.stringify([...counts.entries()], null, 1));
      expect(readHistograms(texts.join(" "))).toEqual(histogramOf(groups.flat()));
    }),
  );
});
