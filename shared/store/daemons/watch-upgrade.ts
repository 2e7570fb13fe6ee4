import type { Db } from "../client.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** Starts the time within which an upgraded daemon must prove itself. */
export async function beginWatch(db: Db, { agent_id, epoch }: OwnedDaemon, watchMs: number): Promise<void> {
  await db.sql.query(
    `UPDATE daemons SET watch_until = now() + $3 * interval '1 ms'
     WHERE agent_id = $1 AND epoch = $2 AND previous_version IS NOT NULL AND watch_until IS NULL`,
    [agent_id, epoch, watchMs],
  );
}

/** The upgraded daemon is healthy: there is no way back any more. */
export async function confirmUpgrade(db: Db, { agent_id, epoch }: OwnedDaemon, version: string): Promise<void> {
  await db.sql.query(
    `UPDATE daemons SET previous_version = NULL, watch_until = NULL WHERE agent_id = $1 AND epoch = $2 AND version = $3`,
    [agent_id, epoch, version],
  );
}

/**
 * The upgraded daemon isn't healthy: it goes back to the version before, and so does the agent's `current`, unless
 * somebody has moved either since.
 */
export async function rollBackUpgrade(db: Db, { agent_id, epoch }: OwnedDaemon, version: string): Promise<void> {
  await db.sql.query(
    `WITH seen AS (
       SELECT agent_id, version, previous_version FROM daemons
       WHERE agent_id = $1 AND epoch = $2 AND version = $3 AND previous_version IS NOT NULL FOR UPDATE
     ), back AS (
       UPDATE daemons d SET version = seen.previous_version, previous_version = NULL, watch_until = NULL
       FROM seen WHERE d.agent_id = seen.agent_id
     )
     UPDATE agents a SET current_version = seen.previous_version, updated_at = now()
     FROM seen WHERE a.id = seen.agent_id AND a.current_version = seen.version`,
    [agent_id, epoch, version],
  );
}
