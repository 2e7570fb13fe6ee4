import type { Db } from "../../client.ts";
import { t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** Returns the answers that a run has got, by the ids of its interrupts, in the order of its questions. */
export async function readAnswers(db: Db, runId: string): Promise<Map<string, unknown>> {
  const rows = await read.rows(db.sql, { run_id: runId });
  return new Map(rows.map(({ id, response }) => [id, response]));
}

const read = statement({
  name: "read-answers",
  takes: { run_id: t.text },
  gives: { id: t.text, response: t.json() },
  text: sql`SELECT id, response FROM interrupts WHERE run_id = $run_id AND answered_at IS NOT NULL ORDER BY created_at, id`,
});
