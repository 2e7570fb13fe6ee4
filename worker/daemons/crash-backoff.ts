const delays = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

/** Earlier crashes don't count after a process that was ready and up for this long. */
const stableMs = 60_000;

/** Returns the wait after `crashes` crashes in a row, in ms; null when the daemon has failed. `scale` shrinks the waits. */
export function backoffMs(crashes: number, scale: number): number | null {
  const delay = delays[crashes - 1];
  return delay === undefined ? null : delay * scale;
}

/** Returns the crashes in a row after another one, of a process that was up for `upMs`. */
export function countCrash(crashes: number, upMs: number, scale: number): number {
  return upMs >= stableMs * scale ? 1 : crashes + 1;
}
