import type { Owner } from "../owned-by.ts";
import { runIs } from "../runs/run-is.ts";
import type { Condition } from "../where-clause.ts";
import { type RunFilter, runConditions } from "../runs/list-runs.ts";

export type BulkAction = "cancel" | "replay";

const scopes = { cancel: runIs.open(), replay: runIs.ended() };

/** Which runs a bulk operation is about: those that can be cancelled, or replayed; made by `before`. */
export function bulkConditions(action: BulkAction, owner: Owner, filter: RunFilter, before: Date | null): Condition[] {
  return [
    ["user_id = ?", owner],
    ...runConditions(filter),
    [`${scopes[action].pieces.join("")} AND ?`, true],
    ["created_at <= ?", before],
  ];
}
