/** CPU time that a version's code took while it had no run, in ms by key. The version's next run is charged with it. */
export type UnbilledTime = {
  add(key: string, ms: number): void;
  /** Returns a key's time, and forgets it. */
  take(key: string): number;
};

/** Beyond this many versions the oldest time is forgotten. */
const mostVersions = 1_000;

export function createUnbilledTime(): UnbilledTime {
  const unbilled = new Map<string, number>();
  return {
    add(key, ms) {
      if (ms <= 0) return;
      const before = unbilled.get(key) ?? 0;
      unbilled.delete(key);
      unbilled.set(key, before + ms);
      const [oldest] = unbilled.keys();
      if (unbilled.size > mostVersions && oldest !== undefined) unbilled.delete(oldest);
    },
    take(key) {
      const ms = unbilled.get(key) ?? 0;
      unbilled.delete(key);
      return ms;
    },
  };
}
