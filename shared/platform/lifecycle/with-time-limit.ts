export type TimeLimit = { ms: number; signals: readonly AbortSignal[] };

/**
 * Runs `work` with a signal that aborts after `ms`, or as soon as one of `signals` does. Not by
 * `AbortSignal.any([AbortSignal.timeout(ms), …])`: Node 20's garbage collector may collect that timeout.
 */
export async function withTimeLimit<T>(
  { ms, signals }: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  const timer = setTimeout(stop, ms);
  for (const signal of signals) {
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop);
  }
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener("abort", stop);
  }
}
