import type { Owner } from "../owned-by.ts";
import type { Condition } from "../spell-conditions.ts";
import { type RunFilter, runConditions } from "../runs/list-runs.ts";

export type BulkAction = "cancel" | "replay";

const open = "status IN ('scheduled', 'queued', 'running', 'interrupted') AND ?";
const ended = "status IN ('success', 'error', 'timeout', 'cancelled', 'expired') AND ?";

/** Which runs a bulk operation is about: those that can be cancelled, or replayed; made by `before`. */
export function bulkConditions(action: BulkAction, owner: Owner, filter: RunFilter, before: Date | null): Condition[] {
  return [
    ["user_id = ?", owner],
    ...runConditions(filter),
    [action === "cancel" ? open : ended, true],
    ["created_at <= ?", before],
  ];
}
