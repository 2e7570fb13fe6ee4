const delays = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000];

/** A process that was up for this long has left the crashes before it behind. */
const stableMs = 60_000;

/** Milliseconds to wait after the last of `crashes` crashes in a row; null: it has failed. `scale` shrinks the schedule. */
export function backoffMs(crashes: number, scale: number): number | null {
  const delay = delays[crashes - 1];
  return delay === undefined ? null : delay * scale;
}

/** How many crashes in a row it is, with one more by a process that was up for `upMs`. */
export function countCrash(crashes: number, upMs: number, scale: number): number {
  return upMs >= stableMs * scale ? 1 : crashes + 1;
}
