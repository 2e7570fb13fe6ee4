import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** The live worker with the most room among those of a run's pool that offer its adapter; null when there is none. */
export async function findWorkerOffering(
  db: Db,
  { adapter_type, pool }: { adapter_type: string; pool: string },
): Promise<string | null> {
  return (await find.first(db.sql, { adapter_type, pool }))?.id ?? null;
}

/**
 * The same, and the same one for all who ask at the same time. One that has missed two announcements isn't named: of workers that die
 * one after the other, a dead one has the most room.
 */
export async function findRoomiestWorker(
  db: Db,
  { adapter_type, pool }: { adapter_type: string; pool: string },
): Promise<string | null> {
  return (await findRoomiest.first(db.sql, { adapter_type, pool }))?.id ?? null;
}

const offersIt = sql`pool = $pool AND $adapter_type = ANY(adapters) AND status = 'active' AND heartbeat_at > now() - interval '15 s'`;

const findRoomiest = statement({
  name: "find-roomiest-worker",
  takes: { adapter_type: t.text, pool: t.text },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM workers WHERE ${offersIt} AND heartbeat_at > now() - lease_ms * interval '0.7 ms'
    ORDER BY slots - busy DESC, id LIMIT 1`,
});

const find = statement({
  name: "find-worker-offering",
  takes: { adapter_type: t.text, pool: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM workers WHERE ${offersIt} ORDER BY slots - busy DESC, random() LIMIT 1`,
});
