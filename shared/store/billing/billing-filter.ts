import type { Owner } from "../owned-by.ts";
import type { Condition } from "../where-clause.ts";

export type BillingFilter = {
  user_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  status?: string | undefined;
  type?: string | undefined;
  agent_id?: string | undefined;
  run_id?: string | undefined;
};

/** A filter as SQL, for a table that has the columns which the filter names. */
export const billingConditions = (
  owner: Owner,
  filter: BillingFilter,
): { within: Condition[]; filters: Condition[]; unindexed: Condition[] } => ({
  within: [["user_id = ?", owner]],
  filters: [
    ["user_id = ?", filter.user_id],
    ["created_at >= ?", filter.since],
    ["created_at < ?", filter.until],
    ["agent_id = ?", filter.agent_id],
    ["run_id = ?", filter.run_id],
  ],
  unindexed: [
    ["status::text = ?", filter.status],
    ["type = ?", filter.type],
  ],
});
