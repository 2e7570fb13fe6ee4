import type { Db } from "../client.ts";
import { isClaimable } from "./claimable.ts";

/**
 * Queued runs that have waited longer than a nudge takes, oldest first: their nudge was lost, or Redis is away. Runs that
 * nobody could claim now, and those whose adapter isn't among `adapters`, are left out.
 */
export async function findUnclaimedRuns(
  db: Db,
  { olderThanMs, limit, adapters }: { olderThanMs: number; limit: number; adapters: string[] },
): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>({ ...statement, values: [olderThanMs, limit, adapters] });
  return rows.map((row) => row.id);
}

const statement = {
  name: "find-unclaimed-runs",
  text: `
    SELECT id FROM runs WHERE created_at < now() - $1 * interval '1 ms' AND adapter_type = ANY($3)
      AND ${isClaimable("runs")}
    ORDER BY created_at LIMIT $2`,
};
