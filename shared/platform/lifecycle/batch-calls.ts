/** The limits of batches. */
export type BatchOptions<Item> = {
  /** How many items a batch may have. */
  most: number;
  /** Returns an item's weight, in any unit; 0 by default. */
  weigh?: (item: Item) => number;
  /** The largest weight of a batch. A heavier item is a batch of its own, and one of those may be under way beside the others. */
  maxWeight?: number;
  /** Items with the same key go in different batches, one after another. Null for an item without such a key. */
  apart?: (item: Item) => string | null;
};

/** The outcome for one item of a batch. */
export type ItemOutcome<Result> = { value: Result } | { error: unknown };

/**
 * Combines calls of one item into calls of batches. Items that come while a batch is under way make the next one:
 * so an item waits only while others are under way, and under load batches grow. Heavy items take their time beside the others:
 * nobody's megabytes delay another's few bytes. `act` returns a verdict for each item, in
 * the order of the items. When `act` rejects, all items of the batch fail.
 */
export function batchCalls<Item, Result>(
  act: (items: Item[]) => Promise<readonly ItemOutcome<Result>[]>,
  { most, weigh = () => 0, maxWeight = Infinity, apart = () => null }: BatchOptions<Item>,
): (item: Item) => Promise<Result> {
  type Waiting = {
    item: Item;
    weight: number;
    key: string | null;
    resolve: (result: Result) => void;
    reject: (error: unknown) => void;
  };
  const lanes = { light: { isHeavy: false, isBusy: false }, heavy: { isHeavy: true, isBusy: false } };
  const keysUnderWay = new Set<string>();
  let waiting: Waiting[] = [];
  let isScheduled = false;

  function takeBatch({ isHeavy }: { isHeavy: boolean }): Waiting[] {
    const batch: Waiting[] = [];
    const left: Waiting[] = [];
    const keys = new Set(keysUnderWay);
    let weight = 0;
    for (const one of waiting) {
      const heavier = weight + one.weight;
      const fits = batch.length === 0 || (batch.length < most && heavier <= maxWeight);
      if (one.weight > maxWeight === isHeavy && fits && (one.key === null || !keys.has(one.key))) {
        batch.push(one);
        weight = heavier;
      } else left.push(one);
      if (one.key !== null) keys.add(one.key);
    }
    waiting = left;
    return batch;
  }

  function settle(batch: Waiting[], verdicts: readonly ItemOutcome<Result>[]): void {
    batch.forEach(({ resolve, reject }, index) => {
      const verdict = verdicts[index] ?? { error: new Error("A batch has no verdict for one of its items.") };
      if ("error" in verdict) reject(verdict.error);
      else resolve(verdict.value);
    });
  }

  function send(): void {
    isScheduled = false;
    for (const lane of Object.values(lanes)) {
      const batch = lane.isBusy ? [] : takeBatch(lane);
      if (batch.length > 0) sendBatch(batch, lane);
    }
  }

  function sendBatch(batch: Waiting[], lane: { isBusy: boolean }): void {
    const keys = batch.flatMap(({ key }) => key ?? []);
    lane.isBusy = true;
    for (const key of keys) keysUnderWay.add(key);
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
        lane.isBusy = false;
        for (const key of keys) keysUnderWay.delete(key);
        send();
      });
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const weight = weigh(item);
      waiting.push({ item, weight, key: apart(item), resolve, reject });
      const lane = weight > maxWeight ? lanes.heavy : lanes.light;
      if (isScheduled || lane.isBusy) return;
      isScheduled = true;
      // Items of the same turn of the event loop go in the same batch.
      setImmediate(send);
    });
}
