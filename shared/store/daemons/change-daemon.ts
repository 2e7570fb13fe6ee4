import type { DaemonWish, StandingDaemon } from "../../domain/daemon/control-daemon.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
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
  return db.withMutex(userLockName("daemons", user_id), () =>
    inTransaction(db, async (client) => {
      await insert.count(client, { agent_id, user_id, version });
      const standing = await lock.first(client, { agent_id });
      const change = standing && decide(standing);
      if (!change) return "unchanged";
      const { desired } = change.wish;
      const starts = standing?.desired === "stopped" && desired !== "stopped";
      if (starts && !(await isBelowUserLimit(client, { thing: "daemons", user_id, most }))) return "full";
      await update.count(client, { agent_id, ...change.wish, sealed_env: change.sealed_env });
      return "changed";
    }),
  );
}

/** The desired state of an agent's daemon; null when the agent has none yet. */
export async function readDesired(
  db: Db,
  agent_id: string,
): Promise<Pick<StandingRow, "desired" | "status" | "held"> | null> {
  return db.prisma.daemon.findUnique({ where: { agent_id }, select: { desired: true, status: true, held: true } });
}

const insert = statement({
  name: "insert-daemon",
  takes: { agent_id: t.text, user_id: t.text, version: t.text },
  text: sql`
    INSERT INTO daemons (agent_id, user_id, version) VALUES ($agent_id, $user_id, $version)
    ON CONFLICT (agent_id) DO NOTHING`,
});

const lock = statement({
  name: "lock-daemon",
  takes: { agent_id: t.text },
  gives: {
    desired: t.enumeration<StandingRow["desired"]>("daemon_desired"),
    version: t.text,
    status: t.enumeration<StandingRow["status"]>("daemon_status"),
    restart_wanted: t.integer,
    restart_seen: t.integer,
    held: t.boolean,
    sealed_env: orNull(t.bytea),
  },
  text: sql`
    SELECT desired, version, status, restart_wanted, restart_seen, held, sealed_env FROM daemons WHERE agent_id = $agent_id
    FOR UPDATE`,
});

/**
 * SQL: an upgrade that is watched is watched on, unless the daemon is stopped or gets another version. A paused daemon proves
 * nothing, so the watch begins anew when the daemon is resumed.
 */
const staysWatched = sql`($desired <> 'stopped' AND version = $version)`;

const update = statement({
  name: "change-daemon",
  takes: {
    agent_id: t.text,
    desired: t.enumeration<DaemonWish["desired"]>("daemon_desired"),
    version: t.text,
    restart_wanted: t.integer,
    grace_ms: t.integer,
    held: t.boolean,
    sealed_env: orNull(t.bytea),
  },
  text: sql`
    UPDATE daemons SET desired = $desired, version = $version, restart_wanted = $restart_wanted, grace_ms = $grace_ms,
      held = $held, sealed_env = coalesce($sealed_env, sealed_env), updated_at = now(),
      previous_version = CASE WHEN ${staysWatched} THEN previous_version END,
      watch_until = CASE WHEN ${staysWatched} AND desired <> 'paused' THEN watch_until END,
      status = CASE WHEN worker_id IS NOT NULL THEN status WHEN $desired = 'stopped' THEN 'stopped'::daemon_status
        ELSE 'starting' END,
      crashes = CASE WHEN worker_id IS NULL THEN 0 ELSE crashes END,
      restarts = CASE WHEN worker_id IS NULL THEN 0 ELSE restarts END,
      next_start_at = CASE WHEN worker_id IS NULL THEN NULL ELSE next_start_at END
    WHERE agent_id = $agent_id`,
});
