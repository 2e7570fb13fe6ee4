/** How many items may wait for the consumer before no source is read any more: a run that is ended has no more than these left to say. */
const waitingItems = 16;

/**
 * Merges streams: items come as they arrive, those of one source in order. While the consumer is slow, no source is read. A
 * source that fails counts as ended. When the consumer stops early, every source is closed.
 */
export async function* mergeStreams<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const waiting: T[] = [];
  let open = sources.length;
  let left = false;
  let wakeConsumer = () => {};
  let wakeSources: (() => void)[] = [];

  const pump = async (source: AsyncIterable<T>) => {
    try {
      for await (const item of source) {
        waiting.push(item);
        wakeConsumer();
        if (waiting.length >= waitingItems) await new Promise<void>((resolve) => wakeSources.push(resolve));
        if (left) return;
      }
    } catch {
      // A cut pipe counts as ended; the process's exit says why it was cut.
    } finally {
      open--;
      wakeConsumer();
    }
  };

  for (const source of sources) void pump(source);
  try {
    for (;;) {
      yield* waiting.splice(0);
      for (const wake of wakeSources.splice(0)) wake();
      if (waiting.length > 0) continue;
      if (open === 0) return;
      await new Promise<void>((resolve) => (wakeConsumer = resolve));
    }
  } finally {
    left = true;
    for (const wake of wakeSources) wake();
    wakeSources = [];
  }
}
