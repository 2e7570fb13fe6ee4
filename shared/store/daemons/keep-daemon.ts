import type { DaemonExit, DaemonStatus, DesiredState } from "../../schemas/daemon.ts";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { tellUsers } from "../notifications/tell-users.ts";
import { nowOnTheWire, owedColumns, owedToWebhooks } from "../outbox/owe-webhooks.ts";

export type OwnedDaemon = { agent_id: string; epoch: number };

/** What its supervisor sees of a daemon. */
export type DaemonReport = {
  status: DaemonStatus;
  pid: number | null;
  restarts: number;
  crashes: number;
  restart_seen: number;
  next_start_at: Date | null;
  last_exit: DaemonExit | null;
  degraded: boolean;
  last_progress_at: Date | null;
  started_at: Date | null;
};

/** What is wanted of it, as its supervisor reads it. */
export type WantedDaemon = {
  desired: DesiredState;
  version: string;
  restart_wanted: number;
  grace_ms: number;
  sealed_env: Buffer | null;
  state_snapshot: string | null;
  /** Not null while an upgrade is watched. */
  previous_version: string | null;
  /** Milliseconds until the watch is over; null: it has not begun. */
  watch_left_ms: number | null;
};

/**
 * The one statement of a supervisor's beat: says what it sees, prolongs its lease by `leaseMs` (0 gives the daemon away)
 * and reads what is wanted. A change of status is owed to the webhooks that ask for it, and its owner is told when it has
 * failed. Null: another epoch owns the daemon, nothing was written, and its process must be killed.
 */
export async function keepDaemon(
  db: Db,
  { agent_id, epoch }: OwnedDaemon,
  report: DaemonReport,
  leaseMs: number,
): Promise<WantedDaemon | null> {
  const { status, pid, restarts, crashes, restart_seen, next_start_at, last_exit, degraded } = report;
  const { last_progress_at, started_at } = report;
  const exit = last_exit && JSON.stringify(last_exit);
  const process = [pid, restarts, crashes, restart_seen, next_start_at, exit];
  const health = [degraded ? "degraded" : "healthy", last_progress_at, started_at];
  const ids = [newId("msg"), newId("notif")];
  const values = [agent_id, epoch, leaseMs, status, ...process, ...health, ...ids];
  const { rows } = await db.sql.query<WantedDaemon>({ ...statement, values });
  return rows[0] ?? null;
}

const statement = {
  name: "keep-daemon",
  text: `
    WITH seen AS (
      SELECT agent_id, status FROM daemons WHERE agent_id = $1 AND epoch = $2 FOR UPDATE
    ), kept AS (
      UPDATE daemons SET status = $4::daemon_status, pid = $5, restarts = $6, crashes = $7, restart_seen = $8,
        next_start_at = $9, last_exit = coalesce($10, last_exit), health_state = $11,
        last_progress_at = coalesce($12, last_progress_at), started_at = coalesce($13, started_at),
        lease_until = CASE WHEN $3 > 0 THEN now() + $3 * interval '1 ms' END,
        worker_id = CASE WHEN $3 > 0 THEN worker_id END
      FROM seen WHERE daemons.agent_id = seen.agent_id
      RETURNING daemons.*, seen.status AS previous
    ), changed AS (
      SELECT $14::text AS seed, user_id, agent_id, version, restarts, last_exit, previous FROM kept
      WHERE previous <> $4::daemon_status AND $4 NOT IN ('starting', 'stopping')
    ), event AS (
      SELECT seed, user_id, NULL::text AS run_id, 'daemon.' || $4 AS type,
        json_build_object('type', 'daemon.' || $4, 'timestamp', ${nowOnTheWire}, 'agent_id', agent_id, 'version', version,
          'data', json_build_object('agent_id', agent_id, 'version', version, 'status', $4, 'previous_status', previous,
            'restarts', restarts, 'last_exit', last_exit)) AS payload
      FROM changed
    ), owed AS (
      INSERT INTO outbox (${owedColumns}) ${owedToWebhooks("event")}
    ), news AS (
      SELECT $15::text AS id, user_id, 'daemon.failed' AS type, 'error' AS level,
        'The daemon of ' || agent_id || ' failed' AS title, last_exit ->> 'reason' AS body,
        json_build_object('version', version, 'restarts', restarts, 'last_exit', last_exit) AS data,
        agent_id, NULL::text AS run_id, 'daemon:' || agent_id || ':' || $2 AS dedup_key
      FROM changed WHERE $4 = 'failed'
    ), ${tellUsers}
    SELECT desired, version, restart_wanted, grace_ms, sealed_env, state_snapshot, previous_version,
      (extract(epoch FROM watch_until - now()) * 1000)::float8 AS watch_left_ms
    FROM kept`,
};
