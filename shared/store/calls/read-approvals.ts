import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns what people have answered about a run's calls, by the calls' keys. */
export async function readApprovals(db: Db, run_id: string): Promise<Map<string, unknown>> {
  const rows = await read.rows(db.sql, { run_id });
  return new Map(rows.map(({ call_key, response }) => [call_key, response]));
}

const read = statement({
  name: "read-approvals",
  takes: { run_id: t.text },
  gives: { call_key: t.text, response: t.json() },
  text: sql`
    SELECT call_key, response FROM interrupts
    WHERE run_id = $run_id AND call_key IS NOT NULL AND answered_at IS NOT NULL ORDER BY created_at, id`,
});
