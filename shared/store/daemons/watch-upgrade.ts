import { newId } from "../../platform/ids.ts";
import { auditOwnActs } from "../append-audit.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { asJsonb } from "../contains-json.ts";
import { notifyUsers } from "../notifications/notify-users.ts";
import { raw, sql } from "../sql.ts";
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
 * somebody has moved either since. The audit log records it, and the owner is notified.
 */
export async function rollBackUpgrade(db: Db, { agent_id, epoch }: OwnedDaemon, version: string): Promise<void> {
  const ids = { audit_id: newId("audit"), news_id: newId("notif") };
  const title = `The upgrade of ${agent_id} to ${version} was rolled back`;
  await rollBack.count(db.sql, { agent_id, epoch, version, ...ids, news_level: "error", news_title: title });
}

const rollBack = statement({
  name: "roll-back-upgrade",
  takes: { ...takes, audit_id: t.text, news_id: t.text, news_level: t.text, news_title: t.text },
  text: sql`
    WITH seen AS (
      SELECT agent_id, user_id, version, previous_version, last_exit FROM daemons
      WHERE agent_id = $agent_id AND epoch = $epoch AND version = $version AND previous_version IS NOT NULL FOR UPDATE
    ), back AS (
      UPDATE daemons d SET version = seen.previous_version, previous_version = NULL, watch_until = NULL
      FROM seen WHERE d.agent_id = seen.agent_id
    ), audited AS (
      ${auditOwnActs(sql`
        SELECT $audit_id AS id, user_id, 'rollback_agent' AS action, 'agent' AS target_type, agent_id AS target_id,
          json_build_object('previous_version', version, 'version', previous_version, 'reason', 'daemon_unhealthy')
            AS detail
        FROM seen`)}
    ), news AS (
      SELECT $news_id AS id, user_id, 'daemon.rolled_back' AS type, $news_level AS level, $news_title AS title,
        ${raw(asJsonb("last_exit"))} ->> 'reason' AS body,
        json_build_object('previous_version', version, 'version', previous_version, 'last_exit', last_exit) AS data,
        agent_id, NULL::text AS run_id, NULL::text AS dedup_key
      FROM seen
    ), ${notifyUsers}
    UPDATE agents a SET current_version = seen.previous_version, updated_at = now()
    FROM seen WHERE a.id = seen.agent_id AND a.current_version = seen.version`,
});
