export type Size = { workers: number; live: number };

/** 20 workers of 64 slots, most of them taken, up to what 100,000 waiting runs take. */
const usualSizes: Size[] = [
  { workers: 20, live: 1_000 },
  { workers: 50, live: 3_000 },
  { workers: 100, live: 10_000 },
  { workers: 250, live: 25_000 },
];
const largestSize: Size = { workers: 500, live: 100_000 };

/** `500 100000`: one size. `all`: the usual ones and the largest. Throws for anything else. */
export function readSizes(words: readonly string[]): Size[] {
  if (words.length === 0) return usualSizes;
  if (words[0] === "all") return [...usualSizes, largestSize];
  const [workers = 0, live = 0] = words.map(Number);
  const isSize = Number.isInteger(workers) && Number.isInteger(live) && workers > 0 && live >= workers;
  if (words.length !== 2 || !isSize || workers > largestSize.workers || live > largestSize.live)
    throw new Error(
      `Give a number of workers (at most ${largestSize.workers}) and of live runs (at least as many, at most ${largestSize.live}), or 'all', or nothing.`,
    );
  return [{ workers, live }];
}
