/** Processor time that a version's code took while it had no run, in ms by key. The version's next run is charged with it. */
export type Debts = {
  add(key: string, ms: number): void;
  /** All of it, and it is settled with that. */
  take(key: string): number;
};

/** The oldest debts beyond these are forgotten. */
const mostVersions = 1_000;

export function createDebts(): Debts {
  const owed = new Map<string, number>();
  return {
    add(key, ms) {
      if (ms <= 0) return;
      const before = owed.get(key) ?? 0;
      owed.delete(key);
      owed.set(key, before + ms);
      const [oldest] = owed.keys();
      if (owed.size > mostVersions && oldest !== undefined) owed.delete(oldest);
    },
    take(key) {
      const ms = owed.get(key) ?? 0;
      owed.delete(key);
      return ms;
    },
  };
}
