import { defaultPool } from "../../domain/run/pool.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { isBuilt } from "../builds/is-building.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const claimedDaemon = {
  agent_id: t.text,
  user_id: t.text,
  /** The fence: every write of this owner names it. */
  epoch: t.integer,
  version: t.text,
  restarts: t.integer,
  crashes: t.integer,
  restart_seen: t.integer,
  /** Whether another worker's process has run before, and is gone. */
  taken_over: t.boolean,
  /** Milliseconds until it may be started again; null: at once. */
  backoff_ms: orNull(t.double),
};

type Claimer = { worker_id: string; pool: string; leaseMs: number; limit: number; hosts: string[] };

/** A daemon that a worker has taken, with what it must know of its past. */
export type ClaimedDaemon = Row<typeof claimedDaemon>;

/**
 * Takes daemons that are wanted, or are left to be settled, and have no worker, or one whose lease ran out. Any number of
 * workers may try at once: SKIP LOCKED parts the rows among them, and the raised epoch fences the owner before. `hosts`: the
 * adapter types whose daemons it can start; one that it can't is left to the live workers that can, if there are any. Daemons of
 * other pools than the worker's are left to theirs.
 */
export async function claimDaemons(
  db: Db,
  { worker_id, pool, leaseMs, limit, hosts }: Claimer,
): Promise<ClaimedDaemon[]> {
  return claim.rows(db.sql, { worker_id, pool, lease_ms: leaseMs, limit, hosts });
}

const claim = statement({
  name: "claim-daemons",
  takes: { worker_id: t.text, pool: t.text, lease_ms: t.double, limit: t.integer, hosts: listOf(t.text) },
  gives: claimedDaemon,
  text: sql`
    WITH free AS (
      SELECT agent_id, worker_id IS NOT NULL AS taken_over FROM daemons own
      WHERE (lease_until IS NULL OR lease_until < now())
        AND status <> 'failed' AND (desired <> 'stopped' OR status <> 'stopped')
        AND ${isBuilt("own")}
        AND $pool = coalesce((SELECT v.config->>'pool' FROM agent_versions v
          WHERE v.agent_id = own.agent_id AND v.version = own.version), ${literal(defaultPool)})
        AND NOT EXISTS (
          SELECT FROM agent_versions v CROSS JOIN LATERAL (SELECT coalesce(v.config->>'adapter_type', 'python') AS type) a
          JOIN workers w ON 'daemon:' || a.type = ANY(w.adapters) AND w.status = 'active' AND w.heartbeat_at > now() - interval '15 s'
          WHERE v.agent_id = own.agent_id AND v.version = own.version AND a.type <> ALL($hosts)
        )
      ORDER BY lease_until NULLS FIRST LIMIT $limit FOR UPDATE SKIP LOCKED
    )
    UPDATE daemons d SET epoch = epoch + 1, worker_id = $worker_id, lease_until = now() + $lease_ms * interval '1 ms',
      pid = NULL
    FROM free WHERE d.agent_id = free.agent_id
    RETURNING d.agent_id, d.user_id, d.epoch, d.version, d.restarts, d.crashes, d.restart_seen, free.taken_over,
      greatest(0, extract(epoch FROM d.next_start_at - now()) * 1000)::float8 AS backoff_ms`,
});
