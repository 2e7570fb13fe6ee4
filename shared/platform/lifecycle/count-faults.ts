/** Counts uncaught errors. */
export type FaultCount = {
  /** Adds an error at `now`, by performance.now(). Returns true after too many in a short time. */
  add(now: number): boolean;
  /** Returns the number of errors since the start. */
  total(): number;
};

/** More than `most` errors within `withinMs` are too many. */
export function createFaultCount({ most, withinMs }: { most: number; withinMs: number }): FaultCount {
  let total = 0;
  let recent: number[] = [];
  return {
    add(now) {
      total += 1;
      recent = [...recent.filter((at) => at > now - withinMs), now].slice(-most - 1);
      return recent.length > most;
    },
    total: () => total,
  };
}
