import { setTimeout as sleep } from "node:timers/promises";

/** A connection's limits; null: none. `key`: calls with the same key share them. */
export type Throttled = { key: string; requests_per_minute: number | null; tokens_per_minute: number | null };

export type Throttles = {
  /** Resolves when a call may leave; false when the signal was aborted first. `tokens`: what it may cost at most. */
  admit(throttled: Throttled, tokens: number, signal: AbortSignal): Promise<boolean>;
  /** What an admitted call has cost in fact. */
  settle(throttled: Throttled, at: number, tokens: number): void;
};

const windowMs = 60_000;
/** The most calls of a connection whose times are remembered. */
const mostRemembered = 100_000;

type Leaving = { at: number; tokens: number };
type Line = { left: Leaving[]; turn: Promise<void> };

/** Calls beyond a connection's limits wait in the order in which they came. Each worker counts for itself. */
export function createThrottles(now: () => number = () => performance.now()): Throttles {
  const lines = new Map<string, Line>();

  /** Returns how long a call has to wait; 0: it may leave. */
  function waitMs({ left }: Line, { requests_per_minute, tokens_per_minute }: Throttled, tokens: number): number {
    const since = now() - windowMs;
    while (left[0] && left[0].at <= since) left.shift();
    const [oldest] = left;
    if (!oldest) return 0;
    const used = left.reduce((sum, one) => sum + one.tokens, 0);
    const isFull = left.length >= Math.min(requests_per_minute ?? Infinity, mostRemembered);
    // A call that is larger than the limit goes alone.
    const isCostly = used + tokens > (tokens_per_minute ?? Infinity);
    return isFull || isCostly ? Math.max(oldest.at - since, 5) : 0;
  }

  async function wait(line: Line, throttled: Throttled, tokens: number, signal: AbortSignal): Promise<boolean> {
    for (let ms = waitMs(line, throttled, tokens); ms > 0 && !signal.aborted; ms = waitMs(line, throttled, tokens))
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    line.left.push({ at: now(), tokens });
    return true;
  }

  return {
    async admit(throttled, tokens, signal) {
      const { key, requests_per_minute, tokens_per_minute } = throttled;
      if (requests_per_minute === null && tokens_per_minute === null) return true;
      const line = lines.get(key) ?? { left: [], turn: Promise.resolve() };
      lines.set(key, line);
      const before = line.turn;
      let done = (): void => undefined;
      line.turn = new Promise((resolve) => (done = resolve));
      await before;
      try {
        return await wait(line, throttled, tokens, signal);
      } finally {
        done();
      }
    },
    settle({ key }, reserved, tokens) {
      const found = lines.get(key)?.left.findLast((one) => one.tokens === reserved);
      if (found) found.tokens = tokens;
    },
  };
}
