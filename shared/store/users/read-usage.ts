import type { UserUsage } from "../../schemas/user.ts";
import type { Db } from "../client.ts";
import { readAnalytics } from "../analytics/read-analytics.ts";
import { addSums, countStatuses } from "../analytics/to-analytics.ts";
import { countActiveRuns } from "../runs/read/active-runs.ts";

/** What a user's runs that ended in a time range have used; those that were made in it and go on are counted too. */
export async function readUsage(db: Db, user_id: string, since: Date, until: Date): Promise<UserUsage> {
  const [sums, open] = await Promise.all([
    readAnalytics(db, { by: "user", keys: [user_id] }, { since, until, unit: null, timezone: "UTC" }).then(addSums),
    countActiveRuns(db, { user_id, since, until }),
  ]);
  const under_way = Object.fromEntries(Object.entries(open).filter(([, count]) => count > 0));
  const by_status = { ...under_way, ...countStatuses(sums) };
  return {
    user_id,
    since: since.toISOString(),
    until: until.toISOString(),
    runs: Object.values(by_status).reduce((sum, count) => sum + count, 0),
    by_status,
    duration_ms: sums.duration_ms_sum,
    cpu_ms: sums.cpu_ms_sum,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    cost_usd: sums.cost_micro_usd / 1e6,
  };
}
