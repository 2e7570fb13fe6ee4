import { wait } from "./wait.ts";

/** Over HTTP/1.1 a browser has six connections to a service, for all of its pages. Streams leave some of them to requests. */
const mostStreams = 4;
const tryAgainMs = 500;

/**
 * Calls `read` as soon as few enough pages of this browser read a stream, and `noteFull` when there are too many. Over plain http to
 * another machine they aren't counted.
 */
export async function inStreamSlot(
  signal: AbortSignal,
  read: () => Promise<void>,
  noteFull?: () => void,
): Promise<void> {
  if (!("locks" in navigator)) return read();
  while (!signal.aborted) {
    if (await tryEach(read)) return;
    noteFull?.();
    await wait(tryAgainMs, signal);
  }
}

/** Returns false when no slot is free. */
async function tryEach(read: () => Promise<void>): Promise<boolean> {
  for (let slot = 1; slot <= mostStreams; slot++) {
    const hasRead = await navigator.locks.request(`stream-${slot}`, { ifAvailable: true }, async (lock) => {
      if (lock) await read();
      return lock !== null;
    });
    if (hasRead) return true;
  }
  return false;
}
