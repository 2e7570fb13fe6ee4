import type { Owner } from "../owned-by.ts";
import { runIs } from "../runs/run-is.ts";
import type { Condition } from "../where-clause.ts";
import { type RunFilter, runListing } from "../runs/read/list-runs.ts";

export type BulkAction = "cancel" | "replay";
export type BulkScope = { action: BulkAction; owner: Owner; filter: RunFilter };

const scopes = { cancel: runIs.open(), replay: runIs.ended() };

/** The run is in a state that the operation acts on. */
const isActedOn = (action: BulkAction): Condition[] => [[`${scopes[action].pieces.join("")} AND ?`, true]];

/**
 * Which runs a bulk operation is about: those that can be cancelled, or replayed; made by `before`, where it is given. No index serves the
 * `unindexed` ones.
 */
export function bulkConditions(
  action: BulkAction,
  owner: Owner,
  filter: RunFilter,
  before: Date | null,
): { indexed: Condition[]; unindexed: readonly Condition[] } {
  const { within, filters, unindexed } = runListing(owner, { ...filter, search_in: "record" });
  const named: Condition[] = [...isActedOn(action), ["id = ANY(?)", filter.run_ids], ["created_at <= ?", before]];
  return { indexed: [...within, ...filters, ...named], unindexed };
}
