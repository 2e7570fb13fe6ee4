import type { Owner } from "../owned-by.ts";
import { runIs } from "../runs/run-is.ts";
import type { Condition } from "../where-clause.ts";
import { type RunFilter, runConditions } from "../runs/read/list-runs.ts";

export type BulkAction = "cancel" | "replay";
export type BulkScope = { action: BulkAction; owner: Owner; filter: RunFilter };

const scopes = { cancel: runIs.open(), replay: runIs.ended() };

/** The run is in a state that the operation acts on. */
export const isActedOn = (action: BulkAction): Condition[] => [[`${scopes[action].pieces.join("")} AND ?`, true]];

/** Which runs a bulk operation is about: those that can be cancelled, or replayed; made by `before`. */
export function bulkConditions(action: BulkAction, owner: Owner, filter: RunFilter, before: Date | null): Condition[] {
  return [["user_id = ?", owner], ...runConditions(filter), ...isActedOn(action), ["created_at <= ?", before]];
}
