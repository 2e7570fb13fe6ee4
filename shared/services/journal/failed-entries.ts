import type { Entry } from "./entry.ts";

/** What a branch has done, or waits for. */
type Placed = Pick<Entry, "branch" | "position" | "stored_key">;

/** Returns the stored keys of the entries of failed steps, and of what their branches did after them. `waits`: that are open. */
export function failedEntries(entries: readonly Entry[], waits: readonly Placed[] = []): Set<string> {
  const failedAt = new Map<string, number>();
  for (const entry of entries)
    if (isFailed(entry)) failedAt.set(entry.branch, Math.min(entry.position, failedAt.get(entry.branch) ?? Infinity));
  const isAfter = ({ branch, position }: Placed): boolean => position >= (failedAt.get(branch) ?? Infinity);
  return new Set([...entries, ...waits].filter(isAfter).map(({ stored_key }) => stored_key));
}

/** True for a step or a run of its own that failed for good, or that the code gave up. */
export const isFailed = ({ ok, kind }: Pick<Entry, "ok" | "kind">): boolean =>
  !ok && ["step", "abandoned", "child", "child_failed"].includes(kind);
