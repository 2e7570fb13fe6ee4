/** The limits of batches. */
export type TogetherOptions<Item> = {
  /** How many items a batch may have. */
  most: number;
  /** Returns an item's weight, in any unit; 0 by default. */
  weigh?: (item: Item) => number;
  /** The largest weight of a batch. A heavier item is a batch of its own. */
  maxWeight?: number;
  /** Items with the same key go in different batches. Null for an item without such a key. */
  apart?: (item: Item) => string | null;
  /** How many batches may be under way at once. */
  inFlight?: number;
};

/** The outcome for one item of a batch. */
export type Verdict<Result> = { value: Result } | { error: unknown };

/**
 * Combines calls of one item into calls of batches. Items that come while `inFlight` batches are under way make the next batch:
 * so an item waits only while others are under way, and under load batches grow. `act` returns a verdict for each item, in
 * the order of the items. When `act` rejects, all items of the batch fail.
 */
export function together<Item, Result>(
  act: (items: Item[]) => Promise<readonly Verdict<Result>[]>,
  { most, weigh = () => 0, maxWeight = Infinity, apart = () => null, inFlight = 1 }: TogetherOptions<Item>,
): (item: Item) => Promise<Result> {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let underWay = 0;
  let isScheduled = false;

  function takeBatch(): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const one of waiting) {
      const key = apart(one.item);
      const heavier = weight + weigh(one.item);
      const fits = batch.length === 0 || (batch.length < most && heavier <= maxWeight);
      if (fits && (key === null || !keys.has(key))) {
        batch.push(one);
        weight = heavier;
      } else left.push(one);
      if (key !== null) keys.add(key);
    }
    waiting = left;
    return batch;
  }

  function settle(batch: Waiting[], verdicts: readonly Verdict<Result>[]): void {
    batch.forEach(({ resolve, reject }, index) => {
      const verdict = verdicts[index] ?? { error: new Error("A batch has no verdict for one of its items.") };
      if ("error" in verdict) reject(verdict.error);
      else resolve(verdict.value);
    });
  }

  function send(): void {
    isScheduled = false;
    while (waiting.length > 0 && underWay < inFlight) {
      const batch = takeBatch();
      underWay += 1;
      act(batch.map(({ item }) => item))
        .then(
          (verdicts) => settle(batch, verdicts),
          (error: unknown) =>
            settle(
              batch,
              batch.map(() => ({ error })),
            ),
        )
        .finally(() => {
          underWay -= 1;
          send();
        });
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isScheduled || underWay >= inFlight) return;
      isScheduled = true;
      // Items of the same turn of the event loop go in the same batch.
      setImmediate(send);
    });
}
