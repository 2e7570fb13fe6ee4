import type { EventId } from "../../domain/run/event-id.ts";
import type { RunStatus } from "../../domain/run/run-status.ts";
import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";

/** How far Postgres knows a run: its status and the last event of its transcript. */
export type RunState = { id: string; status: RunStatus; last: EventId };

export async function readRunStates(db: Db, ids: string[], owner: Owner): Promise<RunState[]> {
  const { rows } = await db.sql.query<{ id: string; status: RunStatus; attempt: number; last_seq: number }>({
    ...statement,
    values: [ids, owner],
  });
  return rows.map(({ id, status, attempt, last_seq }) => ({ id, status, last: { attempt, seq: last_seq } }));
}

const statement = {
  name: "read-run-states",
  text: "SELECT id, status, attempt, last_seq FROM runs WHERE id = ANY($1) AND ($2::text IS NULL OR user_id = $2)",
};
