/**
 * The number of values by index. Index i stands for values in [2^(i/8), 2^((i+1)/8)), and 0 also for smaller ones. So a value is known
 * within 9 %, and histograms can be added. Stored as [[index, count], …] of the indexes with values.
 */
export type Histogram = readonly number[];

const perOctave = 8;
const lowerBound = (index: number): number => (index === 0 ? 0 : 2 ** (index / perOctave));

/**
 * Returns the value below which the share `q` (0 to 1) of the values lies, as if values were spread evenly within a step. Null: there
 * are no values. The lowest step holds 0 and 1 and is returned as 0; otherwise a measure that no run reports would be 1.
 */
export function quantile(histogram: Histogram, q: number): number | null {
  let rank = q * histogram.reduce((sum, count) => sum + count, 0);
  const index = histogram.findIndex((count) => {
    if (count > 0 && rank <= count) return true;
    rank -= count;
    return false;
  });
  if (index < 1) return index < 0 ? null : 0;
  return Math.round(2 ** ((index + rank / (histogram[index] ?? 0)) / perOctave));
}

/** Returns the sum of several histograms. */
export function addHistograms(histograms: readonly Histogram[]): Histogram {
  const length = Math.max(0, ...histograms.map((histogram) => histogram.length));
  const counts = Array.from({ length }, () => 0);
  for (const histogram of histograms)
    for (let index = 0; index < histogram.length; index++)
      counts[index] = (counts[index] ?? 0) + (histogram[index] ?? 0);
  return counts;
}

/**
 * Returns the sum of several histograms from a text with all of their pairs, whatever separates the numbers. The text is scanned
 * instead of parsed as JSON: analytics add a hundred thousand pairs at once, and an array for each would cost most of the time.
 */
export function readHistograms(text: string): Histogram {
  const counts: number[] = [];
  let index: number | null = null;
  for (let at = 0; at < text.length; at++) {
    let digit = digitAt(text, at);
    if (digit === null) continue;
    let number = 0;
    for (; digit !== null; digit = digitAt(text, ++at)) number = number * 10 + digit;
    if (index === null) index = number;
    else {
      while (counts.length <= index) counts.push(0);
      counts[index] = (counts[index] ?? 0) + number;
      index = null;
    }
  }
  return counts;
}

function digitAt(text: string, at: number): number | null {
  const digit = text.charCodeAt(at) - 48;
  return digit >= 0 && digit <= 9 ? digit : null;
}

type Percentiles = { p50: number | null; p95: number | null; p99: number | null };

export const percentiles = (histogram: Histogram): Percentiles => ({
  p50: quantile(histogram, 0.5),
  p95: quantile(histogram, 0.95),
  p99: quantile(histogram, 0.99),
});

type Step = { from: number; to: number; count: number };

/** Returns the histogram in half octaves, from the first to the last step with values, including empty steps between. */
export function steps(histogram: Histogram): Step[] {
  const width = perOctave / 2;
  const counts = new Map<number, number>();
  for (const [index, count] of histogram.entries()) {
    const step = Math.floor(index / width);
    if (count > 0) counts.set(step, (counts.get(step) ?? 0) + count);
  }
  if (counts.size === 0) return [];
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  return Array.from({ length: last - first + 1 }, (_, offset) => {
    const step = first + offset;
    const [from, to] = [lowerBound(step * width), lowerBound((step + 1) * width)];
    return { from: Math.round(from), to: Math.round(to), count: counts.get(step) ?? 0 };
  });
}
