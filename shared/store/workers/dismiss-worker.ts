import type { Db } from "../client.ts";
import type { Dismissal } from "./announce-worker.ts";

/** Sends a worker away; it hears of it at its next sign of life. Gives what stands now, a kill if ever; null: no such worker. */
export async function dismissWorker(db: Db, id: string, how: Dismissal): Promise<Dismissal | null> {
  const { rows } = await db.sql.query<{ dismissal: Dismissal }>(
    `UPDATE workers SET dismissal = CASE WHEN dismissal = 'kill' THEN 'kill' ELSE $2 END WHERE id = $1 RETURNING dismissal`,
    [id, how],
  );
  return rows[0]?.dismissal ?? null;
}
