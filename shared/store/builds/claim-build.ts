import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { runIs } from "../runs/run-is.ts";
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

/** A build whose workers died this often is given up. Workers that left the fleet don't count. */
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
    UPDATE builds SET state = 'failed', ended_at = now(), error = 'The build ended its worker ' || attempts - given_back || ' times.'
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

const fence = { agent_id: t.text, version: t.text, attempts: t.integer };
type Fence = Pick<ClaimedBuild, "agent_id" | "version" | "attempts">;

/** Appends to a build's log and renews its lease. Returns false when the build isn't this worker's any more. */
export async function appendBuildLog(db: Db, build: Fence, text: string, leaseMs: number): Promise<boolean> {
  const { agent_id, version, attempts } = build;
  return (await append.count(db.sql, { agent_id, version, attempts, text, lease_ms: leaseMs })) === 1;
}

const append = statement({
  name: "append-build-log",
  takes: { ...fence, text: t.text, lease_ms: t.double },
  text: sql`
    UPDATE builds SET log = right(log || $text, 262144),
      log_dropped = log_dropped + greatest(length(log || $text) - 262144, 0), lease_until = now() + $lease_ms * interval '1 ms'
    WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'`,
});

/** Lets another worker begin a build anew at once. Does nothing when the build isn't this worker's any more. */
export async function giveBackBuild(db: Db, { agent_id, version, attempts }: Fence): Promise<void> {
  await giveBack.count(db.sql, { agent_id, version, attempts });
}

const giveBack = statement({
  name: "give-back-build",
  takes: fence,
  text: sql`
    UPDATE builds SET lease_until = NULL, given_back = given_back + 1
    WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'`,
});

/** What a build made, or why it failed. */
export type BuildEnding = { output: unknown; lock: string | null } | { error: string };

/** Ends a build, once. Returns the runs that waited for it. */
export async function endBuild(db: Db, build: Fence, ending: BuildEnding): Promise<string[]> {
  const { agent_id, version, attempts } = build;
  const made = "error" in ending ? { error: ending.error, output: null, lock: null } : { error: null, ...ending };
  const row = await end.first(db.sql, { agent_id, version, attempts, ...made });
  return [...(row?.run_ids ?? [])];
}

const end = statement({
  name: "end-build",
  takes: { ...fence, error: orNull(t.text), output: orNull(t.json()), lock: orNull(t.text) },
  gives: { run_ids: orNull(listOf(t.text)) },
  text: sql`
    WITH ended AS (
      UPDATE builds SET state = CASE WHEN $error IS NULL THEN 'ready' ELSE 'failed' END::build_state, error = $error,
        output = $output, lock = $lock, ended_at = now(), lease_until = NULL
      WHERE agent_id = $agent_id AND version = $version AND attempts = $attempts AND state = 'building'
      RETURNING agent_id, version
    )
    SELECT array_agg(id) AS run_ids FROM (
      SELECT r.id FROM runs r JOIN ended USING (agent_id, version)
      WHERE ${runIs.queued("r")} AND r.wait_reason = 'building' ORDER BY r.created_at LIMIT 1000
    ) AS waiting`,
});
