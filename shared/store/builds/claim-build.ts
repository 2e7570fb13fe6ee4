import type { Db } from "../client.ts";
import { listOf, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const claimedBuild = {
  agent_id: t.text,
  version: t.text,
  user_id: t.text,
  adapter: t.text,
  /** The fence: every write of this worker names it. */
  attempts: t.integer,
  config: t.json<Record<string, unknown>>(),
};

/** A build that a worker has taken. */
export type ClaimedBuild = Row<typeof claimedBuild>;

type BuildWorker = { worker_id: string; leaseMs: number; adapters: readonly string[] };

/** A build that was lost with its workers, or that they could not make, this often is given up. Workers that left the fleet don't count. */
const mostAttempts = 3;

/**
 * Takes the oldest build that no live worker has; of those of one user, one at a time. Any number of workers may try at once:
 * SKIP LOCKED parts the rows among them. Returns null when there is none.
 */
export async function claimBuild(db: Db, { worker_id, leaseMs, adapters }: BuildWorker): Promise<ClaimedBuild | null> {
  await giveUp.count(db.sql, { most: mostAttempts });
  return claim.first(db.sql, { worker_id, lease_ms: leaseMs, adapters, most: mostAttempts });
}

const giveUp = statement({
  name: "give-up-builds",
  takes: { most: t.integer },
  text: sql`
    UPDATE builds SET state = 'failed', ended_at = now(),
      error = 'The build was left by its workers ' || attempts - given_back || ' times. Its log ends with: '
        || left(coalesce(substring(log from '([^\\n]+)\\n*$'), 'nothing'), 1000)
    WHERE state = 'building' AND attempts - given_back >= $most AND lease_until < now()`,
});

const claim = statement({
  name: "claim-build",
  takes: { worker_id: t.text, lease_ms: t.double, adapters: listOf(t.text), most: t.integer },
  gives: claimedBuild,
  text: sql`
    WITH next AS (
      SELECT b.agent_id, b.version, a.user_id, v.config FROM builds b
      JOIN agents a ON a.id = b.agent_id JOIN agent_versions v ON v.agent_id = b.agent_id AND v.version = b.version
      WHERE b.state = 'building' AND b.adapter = ANY($adapters) AND b.attempts - b.given_back < $most
        AND (b.lease_until IS NULL OR b.lease_until < now())
        AND NOT EXISTS (SELECT 1 FROM builds o JOIN agents oa ON oa.id = o.agent_id
          WHERE o.state = 'building' AND o.lease_until > now() AND oa.user_id = a.user_id)
      ORDER BY b.created_at LIMIT 1 FOR UPDATE OF b SKIP LOCKED
    )
    UPDATE builds SET worker_id = $worker_id, lease_until = now() + $lease_ms * interval '1 ms', attempts = attempts + 1,
      started_at = now(), log = '', log_dropped = 0
    FROM next WHERE builds.agent_id = next.agent_id AND builds.version = next.version
    RETURNING builds.agent_id, builds.version, next.user_id, builds.adapter, builds.attempts, next.config`,
});

/** What every write of the worker that has a build names. */
export type BuildFence = Pick<ClaimedBuild, "agent_id" | "version" | "attempts">;
