import type { EventId } from "../../../domain/run/event-id.ts";
import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, t } from "../../columns.ts";
import type { Owner } from "../../owned-by.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

/** How far Postgres knows a run: its status and the last event of its transcript. */
export type RunState = { id: string; status: RunStatus; last: EventId };

export async function readRunStates(db: Db, ids: string[], owner: Owner): Promise<RunState[]> {
  const rows = await read.rows(db.sql, { ids, owner });
  return rows.map(({ id, status, attempt, last_seq }) => ({ id, status, last: { attempt, seq: last_seq } }));
}

const read = statement({
  name: "read-run-states",
  takes: { ids: listOf(t.text), owner: orNull(t.text) },
  gives: { id: t.text, status: t.enumeration<RunStatus>("run_status"), attempt: t.integer, last_seq: t.integer },
  text: sql`SELECT id, status, attempt, last_seq FROM runs WHERE id = ANY($ids) AND ($owner IS NULL OR user_id = $owner)`,
});
