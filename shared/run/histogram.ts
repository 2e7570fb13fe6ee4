/**
 * How often values of a size came: [index, count] pairs, in the order of the index. Index i stands for the values in
 * [2^(i/8), 2^((i+1)/8)), 0 for those below as well: a value is known within 9 %, and two histograms add up.
 */
export type Histogram = readonly (readonly [index: number, count: number])[];

const perOctave = 8;
const lowerBound = (index: number): number => (index === 0 ? 0 : 2 ** (index / perOctave));

/** The value below which the share `q` (0 to 1) of the values lies, as if they lay evenly in their step; null for none. */
export function quantile(histogram: Histogram, q: number): number | null {
  const total = histogram.reduce((sum, [, count]) => sum + count, 0);
  let rank = q * total;
  for (const [index, count] of histogram) {
    if (rank <= count) return Math.round(2 ** ((index + rank / count) / perOctave));
    rank -= count;
  }
  return null;
}

/** Several as one. */
export function addHistograms(histograms: readonly Histogram[]): Histogram {
  // Some hundred indexes at most, and figures add a hundred thousand pairs at once: an array is faster than a map.
  const counts: number[] = [];
  for (const histogram of histograms)
    for (const [index, count] of histogram) {
      while (counts.length <= index) counts.push(0);
      counts[index] = (counts[index] ?? 0) + count;
    }
  return [...counts.entries()].filter(([, count]) => count > 0);
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
  for (const [index, count] of histogram) {
    const step = Math.floor(index / width);
    counts.set(step, (counts.get(step) ?? 0) + count);
  }
  if (counts.size === 0) return [];
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  return Array.from({ length: last - first + 1 }, (_, offset) => {
    const step = first + offset;
    const [from, to] = [lowerBound(step * width), lowerBound((step + 1) * width)];
    return { from: Math.round(from), to: Math.round(to), count: counts.get(step) ?? 0 };
  });
}
