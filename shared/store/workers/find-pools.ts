import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** Returns the pools of runs. A run whose pool has no live worker is left out: a worker that starts looks for such runs by itself. */
export async function findPools(db: Db, ids: readonly string[]): Promise<{ id: string; pool: string }[]> {
  return find.rows(db.sql, { ids });
}

const find = statement({
  name: "find-pools",
  takes: { ids: listOf(t.text) },
  gives: { id: t.text, pool: t.text },
  text: sql`
    SELECT runs.id, runs.pool FROM runs WHERE runs.id = ANY($ids) AND EXISTS (
      SELECT 1 FROM workers WHERE workers.pool = runs.pool AND workers.heartbeat_at > now() - interval '15 s')`,
});
