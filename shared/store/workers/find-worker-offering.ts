import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** The live worker with the most room among those that offer an adapter; null when there is none. */
export async function findWorkerOffering(db: Db, adapterType: string): Promise<string | null> {
  return (await find.first(db.sql, { adapter_type: adapterType }))?.id ?? null;
}

const find = statement({
  name: "find-worker-offering",
  takes: { adapter_type: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM workers
    WHERE $adapter_type = ANY(adapters) AND status = 'active' AND heartbeat_at > now() - interval '15 s'
    ORDER BY slots - busy DESC, random() LIMIT 1`,
});
