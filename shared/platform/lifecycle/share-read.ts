/** Returns a function whose callers share one call of `read`, which is repeated at most every `maxAgeMs`. A failure is not kept. */
export function shareRead<T>(maxAgeMs: number, read: () => Promise<T>): () => Promise<T> {
  let readAt = -Infinity;
  let reading: Promise<T> | null = null;
  return () => {
    const now = performance.now();
    if (reading && now - readAt < maxAgeMs) return reading;
    readAt = now;
    const current = read();
    reading = current;
    current.catch(() => {
      if (reading === current) reading = null;
    });
    return current;
  };
}
