/** A connection's limits; null: none. `key`: calls with the same key share them. */
export type ConnectionLimits = { key: string; requests_per_minute: number | null; tokens_per_minute: number | null };

export type Throttles = {
  /** Resolves when a call may leave; false when the signal was aborted first. `tokens`: what it may cost at most. */
  admit(throttled: ConnectionLimits, tokens: number, signal: AbortSignal): Promise<boolean>;
  /** What an admitted call has cost in fact. */
  settle(throttled: ConnectionLimits, reserved: number, tokens: number): void;
  /** An admitted call doesn't leave: the next one has its place. */
  giveBack(throttled: ConnectionLimits, tokens: number): void;
};

const windowMs = 60_000;
/** The most calls of a connection whose times are remembered. */
const mostRemembered = 100_000;

type SentCall = { at: number; tokens: number };
type WaitingCall = { throttled: ConnectionLimits; tokens: number; done: (isAdmitted: boolean) => void };
type Line = { left: SentCall[]; waiting: Set<WaitingCall>; timer: NodeJS.Timeout | undefined };

/** Calls beyond a connection's limits wait in the order in which they came. Each worker counts for itself. */
export function createThrottles(): Throttles {
  const lines = new Map<string, Line>();

  /** Returns how long a call has to wait; 0: it may leave. */
  function waitMs({ left }: Line, { throttled, tokens }: WaitingCall): number {
    const { requests_per_minute, tokens_per_minute } = throttled;
    const since = performance.now() - windowMs;
    while (left[0] && left[0].at <= since) left.shift();
    const [oldest] = left;
    if (!oldest) return 0;
    const used = left.reduce((sum, one) => sum + one.tokens, 0);
    const isFull = left.length >= Math.min(requests_per_minute ?? Infinity, mostRemembered);
    // A call that is larger than the limit goes alone.
    const isCostly = used + tokens > (tokens_per_minute ?? Infinity);
    return isFull || isCostly ? Math.max(oldest.at - since, 5) : 0;
  }

  /** Admits those whose turn it is. */
  function admitNext(line: Line): void {
    clearTimeout(line.timer);
    for (const first of line.waiting) {
      const ms = waitMs(line, first);
      if (ms > 0) {
        line.timer = setTimeout(() => admitNext(line), ms).unref();
        return;
      }
      line.waiting.delete(first);
      line.left.push({ at: performance.now(), tokens: first.tokens });
      first.done(true);
    }
  }

  return {
    admit(throttled, tokens, signal) {
      const { key, requests_per_minute, tokens_per_minute } = throttled;
      if (requests_per_minute === null && tokens_per_minute === null) return Promise.resolve(true);
      if (signal.aborted) return Promise.resolve(false);
      const line = lines.get(key) ?? { left: [], waiting: new Set(), timer: undefined };
      lines.set(key, line);
      return new Promise((resolve) => {
        const one = { throttled, tokens, done: resolve };
        line.waiting.add(one);
        signal.addEventListener(
          "abort",
          () => {
            if (line.waiting.delete(one)) admitNext(line);
            resolve(false);
          },
          { once: true },
        );
        admitNext(line);
      });
    },
    settle({ key }, reserved, tokens) {
      const found = lines.get(key)?.left.findLast((one) => one.tokens === reserved);
      if (found) found.tokens = tokens;
    },
    giveBack({ key }, tokens) {
      const line = lines.get(key);
      const at = line?.left.findLastIndex((one) => one.tokens === tokens) ?? -1;
      if (!line || at === -1) return;
      line.left.splice(at, 1);
      admitNext(line);
    },
  };
}
