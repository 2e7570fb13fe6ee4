/** What one call is for, and how much of a batch's room it takes. */
export type TogetherOptions<Item> = {
  /** How many calls go together at most. */
  most: number;
  /** How heavy an item is, in any unit; by default each weighs nothing. */
  weigh?: (item: Item) => number;
  /** How heavy a batch may be. A heavier item goes alone. */
  maxWeight?: number;
  /** Items with the same key go in different batches; null: none. */
  apart?: (item: Item) => string | null;
  /** How many batches may be under way at once. */
  inFlight?: number;
};

/** The fate of one item of a batch. */
export type Verdict<Result> = { value: Result } | { error: unknown };

/**
 * Makes calls of one item calls of many: what comes while a batch is under way makes the next one. So nobody waits while
 * nothing is under way, and under load each batch carries all who have come. `act` gives each item a verdict of its own, in
 * the order of the items; an `act` that rejects fails all of its batch.
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
      // What the same turn of the event loop asks for goes together.
      setImmediate(send);
    });
}
