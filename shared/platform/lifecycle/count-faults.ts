/** Counts errors that nothing had caught. */
export type FaultCount = {
  /** Takes one in, at `now` (performance.now()). True: there were too many in a short time. */
  add(now: number): boolean;
  /** Since the start. */
  total(): number;
};

/** `most` errors within `withinMs` are tolerated; one more is too many. */
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
