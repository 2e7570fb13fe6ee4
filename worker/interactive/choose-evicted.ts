/** A thread's process, as far as it matters for who has to go. */
export type Evictable = {
  user_id: string;
  /** By `performance.now()`; null while it is at work. */
  idleSince(): number | null;
};

/**
 * Returns the process that ends so that one of `newcomer` can start: of the user who then has most, the one that is idle
 * for longest; of users who have equally many, first the newcomer's own. So nobody loses a process to a user who has more
 * than they do. Null: none is idle.
 */
export function chooseEvicted<Process extends Evictable>(
  processes: Iterable<Process>,
  newcomer: string,
): Process | null {
  const all = [...processes];
  const counts = new Map([[newcomer, 1]]);
  for (const { user_id } of all) counts.set(user_id, (counts.get(user_id) ?? 0) + 1);
  const idle = all.flatMap((process) => {
    const since = process.idleSince();
    const count = counts.get(process.user_id) ?? 0;
    return since === null ? [] : [{ process, since, count, own: process.user_id === newcomer }];
  });
  const [first] = idle.toSorted((a, b) => b.count - a.count || Number(b.own) - Number(a.own) || a.since - b.since);
  return first?.process ?? null;
}
