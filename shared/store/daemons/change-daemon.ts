import type { DaemonWish, StandingDaemon } from "../../domain/daemon/control-daemon.ts";
import type { Db } from "../client.ts";
import { hasRoom, turnOf } from "../has-room.ts";
import { inTransaction } from "../in-transaction.ts";

export type NamedDaemon = { agent_id: string; user_id: string; version: string };

export type DaemonChange = {
  wish: DaemonWish;
  /** The process' own variables from now on; null leaves them. */
  sealed_env: Buffer | null;
};

export type StandingRow = StandingDaemon & { sealed_env: Buffer | null };

/**
 * Lets `decide` change what is wanted of a daemon; its row is made when there is none. The row's lock makes commands one
 * after another: each sees what the one before has left. `full`: it would be one more than the `most` that its user may
 * have started.
 *
 * A daemon that no worker has (the claim sets worker_id under the same lock) gets its status here; that of an owned one is
 * its supervisor's to say.
 */
export async function changeDaemon(
  db: Db,
  { agent_id, user_id, version }: NamedDaemon,
  decide: (standing: StandingRow) => DaemonChange | null,
  most: number,
): Promise<"changed" | "unchanged" | "full"> {
  return db.inTurn(turnOf("daemons", user_id), () =>
    inTransaction(db, async (client) => {
      await client.query(insert, [agent_id, user_id, version]);
      const { rows } = await client.query<StandingRow>(lock, [agent_id]);
      const change = rows[0] ? decide(rows[0]) : null;
      if (!change) return "unchanged";
      const { desired, version: wanted, restart_wanted, grace_ms } = change.wish;
      const starts = rows[0]?.desired === "stopped" && desired !== "stopped";
      if (starts && !(await hasRoom(client, { thing: "daemons", user_id, most }))) return "full";
      await client.query(update, [agent_id, desired, wanted, restart_wanted, grace_ms, change.sealed_env]);
      return "changed";
    }),
  );
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
