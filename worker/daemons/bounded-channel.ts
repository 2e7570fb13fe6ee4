export type BoundedChannel<T> = {
  /** Resolves when there is room for more. What comes after the end is dropped. */
  put(item: T): Promise<void>;
  /** The next item; null when there are no more. One taker. */
  take(): Promise<T | null>;
  end(): void;
};

/** How many items may wait before the giver does. */
const room = 64;

/** Hands items from one side to the other, in order; a slow taker slows the giver. */
export function createBoundedChannel<T>(): BoundedChannel<T> {
  const waiting: T[] = [];
  let ended = false;
  let wakeTaker = (): void => {};
  let wakeGiver = (): void => {};
  return {
    async put(item) {
      if (ended) return;
      waiting.push(item);
      wakeTaker();
      while (waiting.length >= room && !ended) await new Promise<void>((resolve) => (wakeGiver = resolve));
    },
    async take() {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => (wakeTaker = resolve));
      const item = waiting.shift() ?? null;
      wakeGiver();
      return item;
    },
    end() {
      ended = true;
      wakeTaker();
      wakeGiver();
    },
  };
}
