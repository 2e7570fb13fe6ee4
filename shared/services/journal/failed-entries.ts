import type { Entry } from "./entry.ts";

/** What a branch has done, or waits for. */
type Placed = Pick<Entry, "key" | "branch" | "position" | "after" | "stored_key">;

/**
 * Returns the stored keys of the entries of failed steps, and of what came of their failure. In Python each entry names failed calls
 * that its branch had heard of (one of an earlier release does not: then what has a later position in the failed one's branch came of it).
 * In Node a call's branch is the key of the call that it comes after. What the code gave up is done anew, too, but what came after it
 * stays: to give up the slower of two is no failure. `waits`: that are open.
 */
export function failedEntries(
  entries: readonly (Placed & Pick<Entry, "ok" | "kind">)[],
  waits: readonly Placed[] = [],
): Set<string> {
  const all: Placed[] = [...entries, ...waits];
  const failed = new Set(entries.filter(isFailed).map(({ key }) => key));
  const hasHeard = ({ key, after }: Placed): boolean =>
    after === undefined ? failed.has(key) : after.some((heard) => failed.has(heard));
  const goneAt = new Map<string, number>();
  for (const { branch, position } of all.filter(hasHeard))
    goneAt.set(branch, Math.min(position, goneAt.get(branch) ?? Infinity));
  const behind = new Map<string, Placed[]>();
  for (const one of all) {
    const known = behind.get(one.branch);
    if (known) known.push(one);
    else behind.set(one.branch, [one]);
  }
  const gone = new Set(
    // The runs of one map have the same position: those that succeeded stay.
    all.filter((one) => failed.has(one.key) || hasHeard(one) || one.position > (goneAt.get(one.branch) ?? Infinity)),
  );
  // The set grows meanwhile: what comes after one that is gone is gone, too.
  for (const { key } of gone) for (const next of behind.get(callOf(key)) ?? []) gone.add(next);
  return new Set([...gone, ...entries.filter(isGivenUp)].map(({ stored_key }) => stored_key));
}

/** The runs of a map have the map's key, and a number. */
const callOf = (key: string): string => key.replace(/\[\d+\]$/, "");

/** True for a step or a run of its own that failed for good. */
const isFailed = ({ ok, kind }: Pick<Entry, "ok" | "kind">): boolean =>
  !ok && ["step", "child", "child_failed"].includes(kind);

/** True for what the code gave up: nothing answers it. */
const isGivenUp = ({ kind }: Pick<Entry, "kind">): boolean => kind === "abandoned";

/** True for what is done anew because of itself, not because of what it came after. */
export const isUnfinished = (entry: Pick<Entry, "ok" | "kind">): boolean => isFailed(entry) || isGivenUp(entry);
