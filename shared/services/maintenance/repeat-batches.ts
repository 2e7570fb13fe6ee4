/** Repeats a batch until it changes fewer rows than its limit, or until `signal` is aborted. Returns the sum. */
export async function repeatBatches(
  batch: (limit: number) => Promise<number>,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<number> {
  for (let sum = 0; ;) {
    const count = await batch(limit);
    sum += count;
    if (count < limit || signal.aborted) return sum;
  }
}
