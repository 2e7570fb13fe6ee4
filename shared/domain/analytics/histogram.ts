/**
 * How often values of a size came, by index. Index i stands for the values in [2^(i/8), 2^((i+1)/8)), 0 for those below as
 * well: a value is known within 9 %, and two histograms add up. Stored as [[index, count], …] of the indexes that came up.
 */
export type Histogram = readonly number[];

const perOctave = 8;
const lowerBound = (index: number): number => (index === 0 ? 0 : 2 ** (index / perOctave));

/**
 * The value below which the share `q` (0 to 1) of the values lies, as if they lay evenly in their step; null for none. The
 * lowest step holds 0 and 1 and is told as 0: of a measure that nobody reports it would else be said that it is 1.
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

/** Several as one. */
export function addHistograms(histograms: readonly Histogram[]): Histogram {
  const length = Math.max(0, ...histograms.map((histogram) => histogram.length));
  const counts = Array.from({ length }, () => 0);
  for (const histogram of histograms)
    for (let index = 0; index < histogram.length; index++)
      counts[index] = (counts[index] ?? 0) + (histogram[index] ?? 0);
  return counts;
}

/**
 * Several as one, of a text in which their pairs follow on one another, whatever stands between the numbers. Scanned, since
 * figures add a hundred thousand pairs at once: parsed as JSON each would be an array, and collecting those takes longest.
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

/** The histogram in half octaves, from the first that holds a value to the last, with those between that hold none. */
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
