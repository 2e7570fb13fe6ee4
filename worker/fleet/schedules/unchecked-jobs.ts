/** A late check counts against its job's owner, so a job is looked at seldom. */
const restMs = 20_000;
/** Three looks fit into the minute after which a recurring tick is missed. */
const mostLooks = 3;
/** What was looked at longer ago was another tick. */
const keptMs = 60_000;

/** Jobs that are due, and for the check of whose input there was no time. `now`: by performance.now(). */
export type UncheckedJobs = {
  /** The jobs that rest until they are looked at again. */
  resting(now: number): string[];
  /** Lets a job rest. Returns false when it was looked at often enough: its tick is skipped. */
  rest(id: string, now: number): boolean;
};

export function createUncheckedJobs(): UncheckedJobs {
  const jobs = new Map<string, { looks: number; at: number }>();
  return {
    resting(now) {
      for (const [id, { at }] of jobs) if (now - at >= keptMs) jobs.delete(id);
      return [...jobs].filter(([, { at }]) => now - at < restMs).map(([id]) => id);
    },
    rest(id, now) {
      const looks = (jobs.get(id)?.looks ?? 0) + 1;
      if (looks < mostLooks) jobs.set(id, { looks, at: now });
      else jobs.delete(id);
      return looks < mostLooks;
    },
  };
}
