import type { RunChanged, RunListItem } from "../../sdk/ts/index.ts";

/** What the list shows of a run. */
export type ListedRun = Pick<
  RunListItem,
  | "id"
  | "agent_id"
  | "version"
  | "status"
  | "attempt"
  | "input_preview"
  | "interrupts"
  | "wait_reason"
  | "current_status"
  | "usage"
  | "queue_ms"
  | "duration_ms"
  | "created_at"
  | "started_at"
> & { error: Pick<NonNullable<RunListItem["error"]>, "code" | "message"> | null };

/** Of each run the last change since the rows were read. */
export type RunChangesById = ReadonlyMap<string, RunChanged>;

/**
 * Returns the rows as they are after the changes, newest first. `isWhole`: no page follows the rows. Else a run that is older
 * than all of them is on a later page.
 */
export function mergeChanges(rows: readonly ListedRun[], changes: RunChangesById, isWhole: boolean): ListedRun[] {
  const known = new Set(rows.map(({ id }) => id));
  const last = rows.at(-1);
  const comes = [...changes.values()].filter(
    (change) => change.matches && !known.has(change.id) && (isWhole || last === undefined || isNewer(change, last)),
  );
  const kept = rows.flatMap((row) => {
    const change = changes.get(row.id);
    if (change === undefined) return [row];
    return change.matches ? [changed(row, change)] : [];
  });
  if (comes.length === 0) return kept;
  const nothing = { interrupts: [], wait_reason: null, current_status: null };
  const all = [...kept, ...comes.map((change) => ({ ...nothing, ...change }))];
  return all.sort((one, other) => (isNewer(one, other) ? -1 : 1));
}

/** What the run waited for and said before is no longer so. */
function changed(row: ListedRun, change: RunChanged): ListedRun {
  if (row.status === change.status && row.attempt === change.attempt) return { ...row, ...change };
  const { interrupts } = change.status === "interrupted" ? row : { interrupts: [] };
  return { ...row, ...change, interrupts, wait_reason: null, current_status: null };
}

type Placed = Pick<ListedRun, "id" | "created_at">;

const isNewer = (one: Placed, other: Placed): boolean =>
  one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;
