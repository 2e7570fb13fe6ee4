/** Repeats a batch until it finds less than it could take, or the turn is over; gives the sum. */
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
