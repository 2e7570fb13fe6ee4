import type { Db } from "../client.ts";

/** How many runs are held under a lease that ran out. */
export const countLostRuns = (db: Db): Promise<number> =>
  count(db, "SELECT count(*)::int AS n FROM runs WHERE status = 'running' AND lease_until < now()");

/** How many runs wait longer than they may. */
export const countExpiredRuns = (db: Db): Promise<number> =>
  count(
    db,
    `SELECT count(*)::int AS n FROM runs
     WHERE status IN ('scheduled', 'queued', 'interrupted') AND expires_at < now()`,
  );

async function count(db: Db, text: string): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(text);
  return rows[0]?.n ?? 0;
}
