import type { Db } from "../client.ts";

/** A daemon that a worker has taken, with what it must know of its past. */
export type ClaimedDaemon = {
  agent_id: string;
  user_id: string;
  /** The fence: every write of this owner names it. */
  epoch: number;
  version: string;
  restarts: number;
  crashes: number;
  restart_seen: number;
  /** Whether somebody's process has run before, and is gone. */
  taken_over: boolean;
  /** Milliseconds until it may be started again; null: at once. */
  backoff_ms: number | null;
};

/**
 * Takes daemons that are wanted, or are left to be settled, and have no worker, or one whose lease ran out. Any number of
 * workers may try at once: SKIP LOCKED parts the rows among them, and the raised epoch fences the owner before. `hosts`: the
 * adapter types whose daemons it can start; one that it can't is left to the live workers that can, if there are any.
 */
export async function claimDaemons(
  db: Db,
  { worker_id, leaseMs, limit, hosts }: { worker_id: string; leaseMs: number; limit: number; hosts: string[] },
): Promise<ClaimedDaemon[]> {
  const { rows } = await db.sql.query<ClaimedDaemon>({ ...statement, values: [worker_id, leaseMs, limit, hosts] });
  return rows;
}

const statement = {
  name: "claim-daemons",
  text: `
    WITH free AS (
      SELECT agent_id, worker_id IS NOT NULL AS taken_over FROM daemons own
      WHERE (lease_until IS NULL OR lease_until < now())
        AND status <> 'failed' AND (desired <> 'stopped' OR status <> 'stopped')
        AND NOT EXISTS (
          SELECT FROM agent_versions v CROSS JOIN LATERAL (SELECT coalesce(v.config->>'adapter_type', 'python') AS type) a
          JOIN workers w ON 'daemon:' || a.type = ANY(w.adapters) AND w.status = 'active' AND w.heartbeat_at > now() - interval '15 s'
          WHERE v.agent_id = own.agent_id AND v.version = own.version AND a.type <> ALL($4::text[])
        )
      ORDER BY lease_until NULLS FIRST LIMIT $3 FOR UPDATE SKIP LOCKED
    )
    UPDATE daemons d SET epoch = epoch + 1, worker_id = $1, lease_until = now() + $2 * interval '1 ms', pid = NULL
    FROM free WHERE d.agent_id = free.agent_id
    RETURNING d.agent_id, d.user_id, d.epoch, d.version, d.restarts, d.crashes, d.restart_seen, free.taken_over,
      greatest(0, extract(epoch FROM d.next_start_at - now()) * 1000)::float8 AS backoff_ms`,
};
