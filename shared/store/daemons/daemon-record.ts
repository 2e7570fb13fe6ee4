import { type DaemonRecord, type DaemonStatus, daemonExit } from "../../schemas/daemon.ts";
import { runIs } from "../runs/run-is.ts";
import { orNull, type Row, t } from "../columns.ts";
import { joined, raw, type Sql, sql } from "../sql.ts";

/** A daemon's row with its mailbox counted, by Postgres' clock. */
const daemonRow = {
  agent_id: t.text,
  version: t.text,
  desired: t.enumeration<DaemonRecord["desired"]>("daemon_desired"),
  status: t.enumeration<DaemonStatus>("daemon_status"),
  previous_version: orNull(t.text),
  restart_wanted: t.integer,
  restart_seen: t.integer,
  worker_id: orNull(t.text),
  pid: orNull(t.integer),
  restarts: t.integer,
  last_exit: orNull(t.json()),
  health_state: orNull(t.text),
  last_progress_at: orNull(t.timestamptz),
  started_at: orNull(t.timestamptz),
};

export const daemonColumns = {
  ...daemonRow,
  owned: t.boolean,
  uptime_ms: orNull(t.double),
  in_flight: t.integer,
  mailbox_depth: t.integer,
};

export type DaemonRow = Row<typeof daemonColumns>;

const messages = (condition: Sql): Sql =>
  sql`(SELECT count(*)::int FROM runs WHERE agent_id = d.agent_id AND ${condition} AND lifecycle = 'daemon')`;

/** SQL: the columns of a `DaemonRow`, of `daemons d`. */
export const selectDaemon = sql`${joined(
  Object.keys(daemonRow).map((name) => raw(`d.${name}`)),
  ", ",
)},
  coalesce(d.lease_until > now(), false) AS owned,
  CASE WHEN d.pid IS NOT NULL THEN greatest(0, round(extract(epoch FROM now() - d.started_at) * 1000))::float8 END AS uptime_ms,
  ${messages(runIs.running())} AS in_flight, ${messages(runIs.queued())} AS mailbox_depth`;

/** The public record of a daemon. A lost worker's last report is not shown as the present. */
export function toDaemonRecord(row: DaemonRow): DaemonRecord {
  const { agent_id, version, desired, previous_version, restarts, in_flight, mailbox_depth } = row;
  return {
    agent_id,
    object: "daemon",
    version,
    desired,
    ...observedFieldsOf(row),
    restarts,
    last_exit: daemonExit.nullable().parse(row.last_exit),
    previous_version,
    in_flight,
    mailbox_depth,
  };
}

type ObservedFields = Pick<DaemonRecord, "status" | "worker_id" | "pid" | "health" | "started_at" | "uptime_ms">;

function observedFieldsOf({ owned, status, worker_id, pid, in_flight, uptime_ms, ...row }: DaemonRow): ObservedFields {
  const last_progress_at = row.last_progress_at?.toISOString() ?? null;
  if (pid === null || !owned) {
    const health = { state: "unknown", last_progress_at, busy: false } as const;
    const owner = owned ? worker_id : null;
    const told = pid === null ? status : "crashed";
    return { status: told, worker_id: owner, pid: null, health, started_at: null, uptime_ms: null };
  }
  const goes = status !== "starting" && row.restart_wanted > row.restart_seen;
  const state = row.health_state === "degraded" ? "degraded" : "healthy";
  const health = { state, last_progress_at, busy: in_flight > 0 } as const;
  const started_at = row.started_at?.toISOString() ?? null;
  return { status: goes ? "stopping" : status, worker_id, pid, health, started_at, uptime_ms };
}

/** What an agent shows that never had a daemon. */
export function noDaemonYet(agent_id: string, version: string): DaemonRecord {
  return {
    agent_id,
    object: "daemon",
    version,
    desired: "stopped",
    status: "stopped",
    worker_id: null,
    pid: null,
    restarts: 0,
    last_exit: null,
    health: { state: "unknown", last_progress_at: null, busy: false },
    previous_version: null,
    started_at: null,
    uptime_ms: null,
    in_flight: 0,
    mailbox_depth: 0,
  };
}
