/** How many items may wait for the consumer before the sources are no longer read. */
const waitingItems = 64;

/**
 * Several streams as one, each in its own order, as they come. A slow consumer stops the reading of all. A source that fails
 * counts as ended. Leaving early returns every source.
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
      // A pipe that was cut has nothing more to say; the process's exit tells why.
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
