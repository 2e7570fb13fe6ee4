import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { OwnedDaemon } from "./report-daemon.ts";

/** Starts the time within which an upgraded daemon must prove itself. */
export async function beginWatch(db: Db, { agent_id, epoch }: OwnedDaemon, watchMs: number): Promise<void> {
  await begin.count(db.sql, { agent_id, epoch, watch_ms: watchMs });
}

const begin = statement({
  name: "begin-watch",
  takes: { agent_id: t.text, epoch: t.integer, watch_ms: t.double },
  text: sql`
    UPDATE daemons SET watch_until = now() + $watch_ms * interval '1 ms'
    WHERE agent_id = $agent_id AND epoch = $epoch AND previous_version IS NOT NULL AND watch_until IS NULL`,
});

const takes = { agent_id: t.text, epoch: t.integer, version: t.text };

/** The upgraded daemon is healthy: there is no way back any more. */
export async function confirmUpgrade(db: Db, { agent_id, epoch }: OwnedDaemon, version: string): Promise<void> {
  await confirm.count(db.sql, { agent_id, epoch, version });
}

const confirm = statement({
  name: "confirm-upgrade",
  takes,
  text: sql`
    UPDATE daemons SET previous_version = NULL, watch_until = NULL
    WHERE agent_id = $agent_id AND epoch = $epoch AND version = $version`,
});

/**
 * The upgraded daemon isn't healthy: it goes back to the version before, and so does the agent's `current`, unless
 * somebody has moved either since.
 */
export async function rollBackUpgrade(db: Db, { agent_id, epoch }: OwnedDaemon, version: string): Promise<void> {
  await rollBack.count(db.sql, { agent_id, epoch, version });
}

const rollBack = statement({
  name: "roll-back-upgrade",
  takes,
  text: sql`
    WITH seen AS (
      SELECT agent_id, version, previous_version FROM daemons
      WHERE agent_id = $agent_id AND epoch = $epoch AND version = $version AND previous_version IS NOT NULL FOR UPDATE
    ), back AS (
      UPDATE daemons d SET version = seen.previous_version, previous_version = NULL, watch_until = NULL
      FROM seen WHERE d.agent_id = seen.agent_id
    )
    UPDATE agents a SET current_version = seen.previous_version, updated_at = now()
    FROM seen WHERE a.id = seen.agent_id AND a.current_version = seen.version`,
});
