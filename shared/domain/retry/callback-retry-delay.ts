const minute = 60_000;
const hour = 60 * minute;
const cap = 24 * hour;

/** The delay before each attempt (https://github.com/standard-webhooks, "Deliverability and reliability"): 10 attempts over 75 hours. */
const delays = [0, 5_000, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

export type RetryOptions = {
  /** A factor of the schedule's delays, but not of the receiver's Retry-After. */
  scale: number;
  /** In [0, 1): varies the delay within ±20 %. */
  random: number;
  /** The receiver's Retry-After. At most 24 h are granted. */
  retryAfterSeconds: number | null;
};

/** Returns the milliseconds until the next attempt after `tries` attempts. Null: no attempt is left. The receiver's Retry-After can only lengthen the delay. */
export function nextTryDelayMs(tries: number, { scale, random, retryAfterSeconds }: RetryOptions): number | null {
  const delay = delays[tries];
  if (delay === undefined) return null;
  const jittered = delay * scale * (0.8 + 0.4 * random);
  const asked = Math.min((retryAfterSeconds ?? 0) * 1000, cap);
  return Math.round(Math.max(jittered, asked));
}
