type Options = { limit: number; signal: AbortSignal };

/** Repeats a batch until it changes fewer rows than its limit, or until `signal` is aborted. Returns the sum. */
export async function repeatBatches(
  batch: (limit: number) => Promise<number>,
  { limit, signal }: Options,
): Promise<number> {
  for (let sum = 0; ;) {
    const count = await batch(limit);
    sum += count;
    if (count < limit || signal.aborted) return sum;
  }
}

/** One batch of a kind of rows. */
type Batches = readonly { name: string; batch: (limit: number) => Promise<number> }[];

/**
 * Repeats the batches of several kinds in turns, one of each: a kind with many rows doesn't keep the others from theirs, and the
 * next call begins anew. Returns each kind's sum.
 */
export async function repeatInTurns(kinds: Batches, { limit, signal }: Options): Promise<Record<string, number>> {
  const sums = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  for (let left = kinds; left.length > 0 && !signal.aborted;) {
    const next: Batches[number][] = [];
    for (const kind of left) {
      if (signal.aborted) break;
      const count = await kind.batch(limit);
      sums[kind.name] = (sums[kind.name] ?? 0) + count;
      if (count === limit) next.push(kind);
    }
    left = next;
  }
  return sums;
}
