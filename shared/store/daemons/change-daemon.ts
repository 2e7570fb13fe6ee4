import type { DaemonWish, StandingDaemon } from "../../run/control-daemon.ts";
import type { Db } from "../client.ts";

export type NamedDaemon = { agent_id: string; user_id: string; version: string };

export type DaemonChange = {
  wish: DaemonWish;
  /** The process' own variables from now on; null leaves them. */
  sealed_env: Buffer | null;
};

export type StandingRow = StandingDaemon & { sealed_env: Buffer | null };

/**
 * Lets `decide` change what is wanted of a daemon; its row is made when there is none. The row's lock makes commands one
 * after another: each sees what the one before has left. False: `decide` changed nothing.
 *
 * A daemon that no worker has (the claim sets worker_id under the same lock) gets its status here; that of an owned one is
 * its supervisor's to say.
 */
export async function changeDaemon(
  db: Db,
  { agent_id, user_id, version }: NamedDaemon,
  decide: (standing: StandingRow) => DaemonChange | null,
): Promise<boolean> {
  const client = await db.sql.connect();
  try {
    await client.query("BEGIN");
    await client.query(insert, [agent_id, user_id, version]);
    const { rows } = await client.query<StandingRow>(lock, [agent_id]);
    const change = rows[0] ? decide(rows[0]) : null;
    if (change) {
      const { desired, version: wanted, restart_wanted, grace_ms } = change.wish;
      await client.query(update, [agent_id, desired, wanted, restart_wanted, grace_ms, change.sealed_env]);
    }
    await client.query("COMMIT");
    return change !== null;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const insert = `
  INSERT INTO daemons (agent_id, user_id, version) VALUES ($1, $2, $3) ON CONFLICT (agent_id) DO NOTHING`;

const lock = `
  SELECT desired, version, status, restart_wanted, restart_seen, sealed_env FROM daemons WHERE agent_id = $1 FOR UPDATE`;

const update = `
  UPDATE daemons SET desired = $2::daemon_desired, version = $3, restart_wanted = $4, grace_ms = $5,
    sealed_env = coalesce($6, sealed_env), previous_version = NULL, watch_until = NULL, updated_at = now(),
    status = CASE WHEN worker_id IS NOT NULL THEN status WHEN $2 = 'stopped' THEN 'stopped'::daemon_status ELSE 'starting' END,
    crashes = CASE WHEN worker_id IS NULL THEN 0 ELSE crashes END,
    restarts = CASE WHEN worker_id IS NULL THEN 0 ELSE restarts END,
    next_start_at = CASE WHEN worker_id IS NULL THEN NULL ELSE next_start_at END
  WHERE agent_id = $1`;
