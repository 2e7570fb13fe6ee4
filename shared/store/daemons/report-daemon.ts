import type { DaemonExit, DaemonStatus, DesiredState } from "../../schemas/daemon.ts";
import { newId } from "../../platform/ids.ts";
import { isBuilt } from "../builds/is-building.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { asJsonb } from "../contains-json.ts";
import { notifyUsers } from "../notifications/notify-users.ts";
import { enqueueWebhooks, nowOnTheWire } from "../outbox/enqueue-webhooks.ts";
import { raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type OwnedDaemon = { agent_id: string; epoch: number };

const reported = {
  status: t.enumeration<DaemonStatus>("daemon_status"),
  pid: orNull(t.integer),
  restarts: t.integer,
  crashes: t.integer,
  restart_seen: t.integer,
  next_start_at: orNull(t.timestamptz),
  last_exit: orNull(t.json<DaemonExit>()),
  last_progress_at: orNull(t.timestamptz),
  started_at: orNull(t.timestamptz),
};

/** What its supervisor sees of a daemon. */
export type DaemonReport = Row<typeof reported> & { degraded: boolean };

const wanted = {
  desired: t.enumeration<DesiredState>("daemon_desired"),
  version: t.text,
  /** False while `version` is being built. */
  is_built: t.boolean,
  restart_wanted: t.integer,
  grace_ms: t.integer,
  sealed_env: orNull(t.bytea),
  state_snapshot: orNull(t.json<string>()),
  /** Not null while an upgrade is watched. */
  previous_version: orNull(t.text),
  /** Milliseconds until the watch is over; null: it has not begun. */
  watch_left_ms: orNull(t.double),
};

/** What is wanted of it, as its supervisor reads it. */
export type WantedDaemon = Row<typeof wanted>;

/**
 * The one statement of a supervisor's beat: reports what it sees, prolongs its lease by `leaseMs` (0 gives the daemon away)
 * and reads what is wanted. A change of status is enqueued to the webhooks that ask for it, and the owner is notified when
 * the daemon has failed. Returns null when another epoch owns the daemon: nothing was written, and its process must be
 * killed.
 */
export async function reportDaemon(
  db: Db,
  { agent_id, epoch }: OwnedDaemon,
  { degraded, ...report }: DaemonReport,
  leaseMs: number,
): Promise<WantedDaemon | null> {
  return beat.first(db.sql, {
    agent_id,
    epoch,
    lease_ms: leaseMs,
    ...report,
    health_state: degraded ? "degraded" : "healthy",
    message_id: newId("msg"),
    news_id: newId("notif"),
    news_title: `The daemon of ${agent_id} failed`,
  });
}

const beat = statement({
  name: "report-daemon",
  takes: {
    agent_id: t.text,
    epoch: t.integer,
    lease_ms: t.double,
    ...reported,
    health_state: t.text,
    message_id: t.text,
    news_id: t.text,
    news_title: t.text,
  },
  gives: wanted,
  text: sql`
    WITH seen AS (
      SELECT agent_id, status FROM daemons WHERE agent_id = $agent_id AND epoch = $epoch FOR UPDATE
    ), written AS (
      UPDATE daemons SET status = $status, pid = $pid, restarts = $restarts, crashes = $crashes,
        restart_seen = $restart_seen, next_start_at = $next_start_at, last_exit = coalesce($last_exit, last_exit),
        health_state = $health_state, last_progress_at = coalesce($last_progress_at, last_progress_at),
        started_at = coalesce($started_at, started_at),
        lease_until = CASE WHEN $lease_ms > 0 THEN now() + $lease_ms * interval '1 ms' END,
        worker_id = CASE WHEN $lease_ms > 0 THEN worker_id END
      FROM seen WHERE daemons.agent_id = seen.agent_id
      RETURNING daemons.*, seen.status AS previous
    ), changed AS (
      SELECT $message_id AS seed, user_id, agent_id, version, restarts, last_exit, previous FROM written
      WHERE previous <> $status AND $status NOT IN ('starting', 'stopping')
    ), event AS (
      SELECT seed, user_id, NULL::text AS run_id, agent_id, NULL::text[] AS tags,
        'daemon.' || $status AS type,
        json_build_object('type', 'daemon.' || $status, 'timestamp', ${nowOnTheWire}, 'agent_id', agent_id, 'version', version,
          'data', json_build_object('agent_id', agent_id, 'version', version, 'status', $status, 'previous_status', previous,
            'restarts', restarts, 'last_exit', last_exit)) AS payload
      FROM changed
    ), enqueued AS (
      ${enqueueWebhooks("event")}
    ), news AS (
      SELECT $news_id AS id, user_id, 'daemon.failed' AS type, 'error' AS level, $news_title AS title,
        ${raw(asJsonb("last_exit"))} ->> 'reason' AS body,
        json_build_object('version', version, 'restarts', restarts, 'last_exit', last_exit) AS data,
        agent_id, NULL::text AS run_id, 'daemon:' || agent_id || ':' || $epoch AS dedup_key
      FROM changed WHERE $status = 'failed'
    ), ${notifyUsers}
    SELECT desired, version, ${isBuilt("written")} AS is_built, restart_wanted, grace_ms, sealed_env, state_snapshot, previous_version,
      (extract(epoch FROM watch_until - now()) * 1000)::float8 AS watch_left_ms
    FROM written`,
});
