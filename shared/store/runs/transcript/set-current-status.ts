import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIsStill } from "../run-is.ts";

/** Notes what a running run says it is doing; null leaves it. Returns the worker that holds it; null when it is not running. */
export async function setCurrentStatus(db: Db, runId: string, status: string | null): Promise<string | null> {
  const row = await set.first(db.sql, { id: runId, current_status: status });
  return row?.worker_id ?? null;
}

const set = statement({
  name: "set-current-status",
  takes: { id: t.text, current_status: orNull(t.text) },
  gives: { worker_id: orNull(t.text) },
  text: sql`
    UPDATE runs SET current_status = coalesce($current_status, current_status)
    WHERE id = $id AND ${runIsStill.running()} RETURNING worker_id`,
});
