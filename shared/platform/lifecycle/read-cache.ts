/** Returns what `read` gave under this key, at most a second ago. Callers at the same time share one read. */
export type ReadCache = <T>(key: string, read: () => Promise<T>) => Promise<T>;

const maxAgeMs = 1_000;

/** Remembers what is read so often that asking each time would cost too much. Keys are few, and ours. */
export function createReadCache(): ReadCache {
  const entries = new Map<string, { readAt: number; value: Promise<unknown> }>();
  return <T>(key: string, read: () => Promise<T>) => {
    const known = entries.get(key);
    if (known && performance.now() - known.readAt < maxAgeMs) return known.value as Promise<T>;
    const value = read();
    entries.set(key, { readAt: performance.now(), value });
    value.catch(() => entries.delete(key));
    return value;
  };
}
