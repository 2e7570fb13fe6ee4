import type { Queryable } from "./client.ts";
import { t } from "./columns.ts";
import { sql } from "./sql.ts";
import { statement } from "./statement.ts";

/**
 * Returns the id before which every transaction of this database is over. A statement that comes later sees whatever those
 * transactions wrote, so nothing is added any more to the rows whose `xact` is smaller. It never goes back.
 *
 * What runs in other databases of the cluster does not count: a snapshot's xmin would stand still for as long as somebody's
 * import there. A transaction of which nobody says where it runs counts until it is over: a prepared one, or one whose
 * backend Postgres doesn't show.
 */
export async function readHorizon(client: Queryable): Promise<bigint> {
  const row = await read.first(client);
  if (!row) throw new Error("A function in FROM gives a row.");
  return BigInt(row.horizon);
}

// CASE keeps the order: who was running elsewhere and ends in between is either seen there or seen as over.
// A backend's id has the lower 32 bits of the transaction's.
const read = statement({
  name: "read-horizon",
  gives: { horizon: t.bigint },
  text: sql`
    SELECT least(pg_snapshot_xmax(now)::text::bigint, (
      SELECT min(running.id) FROM (SELECT xip::text::bigint AS id FROM pg_snapshot_xip(now) AS xip) AS running
      WHERE CASE
        WHEN running.id & 4294967295 = ANY (ARRAY(
          SELECT backend_xid::text::bigint FROM pg_stat_activity
          WHERE backend_xid IS NOT NULL AND datid <> (SELECT oid FROM pg_database WHERE datname = current_database())
        )) THEN false
        ELSE pg_xact_status(running.id::text::xid8) = 'in progress'
      END
    )) AS horizon
    FROM pg_current_snapshot() AS now`,
});
