import type { Change } from "../../schemas/version.ts";

type Path = (string | number)[];

/** The largest number of listed changes. */
const mostChanges = 1_000;
/** The largest number of compared values: some 100 ms of work. */
const mostVisits = 250_000;

/** `has_more`: there are, or may be, more changes. */
export type JsonDiff = { changes: Change[]; has_more: boolean };

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Returns the changes between two JSON values, at the deepest paths that differ, in the order of keys. */
export function diffJson(before: unknown, after: unknown): JsonDiff {
  const changes: Change[] = [];
  const path: Path = [];
  let visits = 0;

  const note = (change: Omit<Change, "path">): void => void changes.push({ path: [...path], ...change });

  function compareKey(old: Record<string, unknown>, fresh: Record<string, unknown>, key: string): void {
    if (!Object.hasOwn(fresh, key)) note({ op: "removed", before: old[key], after: null });
    else if (!Object.hasOwn(old, key)) note({ op: "added", before: null, after: fresh[key] });
    else compare(old[key], fresh[key]);
  }

  function compare(old: unknown, fresh: unknown): void {
    visits += 1;
    if (!isTree(old) || !isTree(fresh) || Array.isArray(old) !== Array.isArray(fresh)) {
      if (old !== fresh) note({ op: "changed", before: old, after: fresh });
      return;
    }
    const added = Object.keys(fresh).filter((key) => !Object.hasOwn(old, key));
    for (const key of Object.keys(old).concat(added)) {
      if (isFull()) return;
      path.push(Array.isArray(old) ? Number(key) : key);
      compareKey(old, fresh, key);
      path.pop();
    }
  }

  // One change more than the limit shows that there are more.
  const isFull = (): boolean => changes.length > mostChanges || visits > mostVisits;
  compare(before, after);
  return { changes: changes.slice(0, mostChanges), has_more: isFull() };
}
