import type { Db } from "../client.ts";
import { isClaimable } from "./claimable.ts";

/** Whether a run that a worker with these adapters could claim now was accepted longer ago than `olderThanMs`. */
export async function doesRunWait(
  db: Db,
  { olderThanMs, adapters }: { olderThanMs: number; adapters: string[] },
): Promise<boolean> {
  const { rows } = await db.sql.query<{ waits: boolean }>({ ...statement, values: [olderThanMs, adapters] });
  return rows[0]?.waits === true;
}

const statement = {
  name: "does-run-wait",
  text: `
    SELECT EXISTS (SELECT 1 FROM runs WHERE created_at < now() - $1 * interval '1 ms' AND adapter_type = ANY($2)
      AND ${isClaimable("runs")}) AS waits`,
};
