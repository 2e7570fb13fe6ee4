import type { RunStatus } from "../../../domain/run/run-status.ts";
import { runRecord } from "../../../schemas/run.ts";
import type { Db } from "../../client.ts";
import { orNull, t } from "../../columns.ts";
import { joined, literal, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

export type Failure = { run_id: string; version: string; message: string; at: string };

/** The last failure of each error code among an agent's last failed runs, of those that ended in a time range. */
export async function readLastFailures(
  db: Db,
  agent_id: string,
  range: { since: Date; until: Date },
): Promise<Map<string, Failure>> {
  const rows = await read.rows(db.sql, { agent_id, ...range });
  const last = new Map<string, Failure>();
  for (const { run_id, version, error, completed_at } of rows) {
    const known = runRecord.shape.error.parse(error);
    if (known) last.set(known.code, { run_id, version, message: known.message, at: completed_at.toISOString() });
  }
  return last;
}

const lookedAt = literal(500);
const failures: readonly RunStatus[] = ["error", "timeout", "expired"];

const failed = (status: RunStatus): Sql => sql`(
  SELECT id, version, error, completed_at FROM runs
  WHERE agent_id = $agent_id AND status = ${literal(status)} AND created_at < $until
  ORDER BY created_at DESC LIMIT ${lookedAt})`;

const read = statement({
  name: "read-last-failures",
  takes: { agent_id: t.text, since: t.timestamptz, until: t.timestamptz },
  gives: { run_id: t.text, version: t.text, error: orNull(t.json()), completed_at: t.timestamptz },
  text: sql`
    SELECT id AS run_id, version, error, completed_at FROM (${joined(failures.map(failed), " UNION ALL ")}) AS failed
    WHERE completed_at >= $since AND completed_at < $until ORDER BY completed_at`,
});
