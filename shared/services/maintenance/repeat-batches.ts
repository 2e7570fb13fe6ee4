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

/** The first batch of a kind: small, since a row may have many megabytes. */
const firstLimit = 16;
/** A batch that takes less time than this is followed by one of twice as many rows. */
const shortMs = 1_000;

/**
 * Repeats the batches of several kinds in turns, one of each: a kind with many rows, or whose batches fail, doesn't keep the others
 * from theirs, and the next call begins anew. After a batch that failed, such as for its time limit, the kind's next one has half as
 * many rows. Returns each kind's sum. Throws at the end if a kind failed with a single row.
 */
export async function repeatInTurns(kinds: Batches, { limit, signal }: Options): Promise<Record<string, number>> {
  const sums = Object.fromEntries(kinds.map(({ name }) => [name, 0]));
  const faults: Error[] = [];
  const takeTurn = async ({ name, batch }: Batches[number], rows: number): Promise<number | null> => {
    const begun = performance.now();
    try {
      const count = await batch(rows);
      sums[name] = (sums[name] ?? 0) + count;
      if (count < rows) return null;
      return performance.now() - begun < shortMs ? Math.min(2 * rows, limit) : rows;
    } catch (cause) {
      if (rows > 1) return Math.floor(rows / 2);
      faults.push(new Error(name, { cause }));
      return null;
    }
  };
  let left = kinds.map((kind) => ({ kind, rows: Math.min(firstLimit, limit) }));
  while (left.length > 0 && !signal.aborted) {
    const next: typeof left = [];
    for (const { kind, rows } of left) {
      if (signal.aborted) break;
      const more = await takeTurn(kind, rows);
      if (more !== null) next.push({ kind, rows: more });
    }
    left = next;
  }
  if (faults.length > 0) throw new AggregateError(faults, "some kinds of rows could not be deleted");
  return sums;
}
