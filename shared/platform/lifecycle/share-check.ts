/**
 * Returns a function whose callers share one call of `check`: the one that is under way, or the last one for `keepMs` after its
 * end. A failure is kept as an answer is. A check that takes longer than `answerMs` has failed.
 */
export function shareCheck<T>(
  { answerMs, keepMs }: { answerMs: number; keepMs: number },
  check: () => Promise<T>,
): () => Promise<T> {
  let shared: Promise<T> | null = null;
  const forget = (): void => void setTimeout(() => (shared = null), keepMs).unref();
  return () => {
    if (shared) return shared;
    shared = inTime(check(), answerMs);
    shared.then(forget, forget);
    return shared;
  };
}

async function inTime<T>(answer: Promise<T>, answerMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new Error("no answer in time")), answerMs)),
  );
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
