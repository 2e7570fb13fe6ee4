export type BoundedChannel<T> = {
  /** Resolves when there is room for another item. An item that is put after `end` is dropped. */
  put(item: T): Promise<void>;
  /** Returns the next item; null after the last one. Only one caller may wait at a time. */
  take(): Promise<T | null>;
  end(): void;
};

/** How many items may wait before `put` does. */
const capacity = 64;

/** A queue of bounded length: a slow reader slows the writer down. */
export function createBoundedChannel<T>(): BoundedChannel<T> {
  const waiting: T[] = [];
  let ended = false;
  let wakeReader = (): void => {};
  let wakeWriter = (): void => {};
  return {
    async put(item) {
      if (ended) return;
      waiting.push(item);
      wakeReader();
      while (waiting.length >= capacity && !ended) await new Promise<void>((resolve) => (wakeWriter = resolve));
    },
    async take() {
      while (waiting.length === 0 && !ended) await new Promise<void>((resolve) => (wakeReader = resolve));
      const item = waiting.shift() ?? null;
      wakeWriter();
      return item;
    },
    end() {
      ended = true;
      wakeReader();
      wakeWriter();
    },
  };
}
