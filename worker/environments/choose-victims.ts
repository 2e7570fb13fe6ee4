/** An environment that stands, or one that is about to. */
export type Kept = {
  name: string;
  bytes: number;
  /** Milliseconds of the epoch. */
  usedAt: number;
  /** It is shown to a sandbox, or not finished. */
  inUse: boolean;
};

type RoomLimits = { bytes: number; count: number };

/** A run that found an environment starts its sandbox within this time, or finds the environment gone. */
const graceMs = 120_000;

/**
 * Returns the environments that must go so that the others keep to the limits, the least recently used first; null when
 * that is not possible, since the rest is in use or was used within the last two minutes.
 */
export function chooseVictims(kept: readonly Kept[], limits: RoomLimits, now: number): Kept[] | null {
  let bytes = kept.reduce((sum, one) => sum + one.bytes, 0);
  let count = kept.length;
  const victims: Kept[] = [];
  const idle = kept.filter(({ inUse, usedAt }) => !inUse && now - usedAt > graceMs);
  for (const oldest of idle.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= limits.bytes && count <= limits.count) break;
    victims.push(oldest);
    bytes -= oldest.bytes;
    count--;
  }
  return bytes <= limits.bytes && count <= limits.count ? victims : null;
}
