/** An environment, or a draft of one. */
export type StoredEnvironment = {
  name: string;
  bytes: number;
  /** Milliseconds of the epoch. */
  usedAt: number;
  /** True when a sandbox shows the environment, or it is a draft. */
  inUse: boolean;
};

type RoomLimits = { bytes: number; count: number };

/** An environment stays for this long after a run has found it. The run's sandbox must start within this time. */
const graceMs = 120_000;

/**
 * Returns the environments to remove so that the others keep to the limits, the least recently used first. Returns null when
 * that is not possible, since the other environments are in use or were used within the last two minutes.
 */
export function chooseVictims(
  all: readonly StoredEnvironment[],
  limits: RoomLimits,
  now: number,
): StoredEnvironment[] | null {
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  let count = all.length;
  const victims: StoredEnvironment[] = [];
  for (const oldest of chooseIdle(all, now)) {
    if (bytes <= limits.bytes && count <= limits.count) break;
    victims.push(oldest);
    bytes -= oldest.bytes;
    count--;
  }
  return bytes <= limits.bytes && count <= limits.count ? victims : null;
}

/** Returns the environments that may be removed, the least recently used first. */
export const chooseIdle = (all: readonly StoredEnvironment[], now: number): StoredEnvironment[] =>
  all
    .filter(({ inUse, usedAt }) => !inUse && now - usedAt > graceMs)
    .toSorted((one, other) => one.usedAt - other.usedAt);
