const minute = 60_000;
const hour = 60 * minute;
const cap = 24 * hour;

/** Delay before each try (https://github.com/standard-webhooks, "Deliverability and reliability"): 10 tries over 75 hours. */
const delays = [0, 5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

export type RetryOptions = {
  /** Shrinks the schedule, but not what the receiver asks for. 1: as written. */
  scale: number;
  /** In [0, 1): places the delay within ±20 %. */
  random: number;
  /** What the receiver asked for; at most 24 h are granted. */
  retryAfterSeconds: number | null;
};

/** Milliseconds until the next try after `tries` tries; null: none is left. What the receiver asks for only lengthens it. */
export function nextTryDelayMs(tries: number, { scale, random, retryAfterSeconds }: RetryOptions): number | null {
  const delay = delays[tries];
  if (delay === undefined) return null;
  const jittered = delay * scale * (0.8 + 0.4 * random);
  const asked = Math.min((retryAfterSeconds ?? 0) * 1000, cap);
  return Math.round(Math.max(jittered, asked));
}
