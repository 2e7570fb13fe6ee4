import { ApiError } from "./errors.ts";

/** Returns what the service asks to wait, in milliseconds, up to a minute. */
export function retryAfter(failure: unknown): number {
  return failure instanceof ApiError ? Math.min(failure.retryAfterMs ?? 0, 60_000) : 0;
}

/** Returns a random time before the next try, so that many clients don't come back at once. `failures` counts from 0. */
export function retryDelay(failures: number, atLeastMs = 0): number {
  return Math.random() * Math.min(10_000, Math.max(atLeastMs, 250 * 2 ** failures));
}
