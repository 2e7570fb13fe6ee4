import type { Config } from "../../platform/config/load-config.ts";
import { conflict, unavailable } from "../../domain/errors/app-error.ts";
import { userHasMost } from "../../domain/errors/user-has-most.ts";
import { applyCommand } from "../../domain/daemon/control-daemon.ts";
import type { Db } from "../../store/client.ts";
import {
  changeDaemon,
  type DaemonChange,
  type NamedDaemon,
  readDesired,
  type StandingRow,
} from "../../store/daemons/change-daemon.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

export type WakeDeps = { config: Pick<Config, "perUser">; db: Db; streams: Pick<RunStreams, "signalDaemons"> };

/**
 * Starts an agent's daemon, if it is stopped, before a message is sent to it. A paused daemon stays paused. Throws `unavailable`
 * when the daemon has failed, since a failed daemon must be started by its user, and `conflict` when an operator stopped the daemon or the user has
 * too many.
 */
export async function wakeDaemon({ config, db, streams }: WakeDeps, daemon: NamedDaemon): Promise<void> {
  const current = await readDesired(db, daemon.agent_id);
  if (current?.status === "failed")
    throw unavailable(
      "daemon_failed",
      "The agent's daemon has failed. Start it again with POST /v1/daemon/{agent_id}/start.",
      60,
    );
  if (current && current.desired !== "stopped") return;
  if (current?.held)
    throw conflict(
      "daemon_stopped",
      "The agent's daemon was stopped by hand and takes no messages. Start it with POST /v1/daemon/{agent_id}/start.",
    );
  const start = {
    action: "start",
    version: null,
    current_version: daemon.version,
    new_env: false,
    grace_ms: null,
  } as const;
  const decide = (now: StandingRow): DaemonChange | null => {
    const wish = now.desired === "stopped" && !now.held ? applyCommand(now, start) : null;
    return wish && { wish, sealed_env: null };
  };
  const outcome = await changeDaemon(db, daemon, decide, config.perUser.daemons);
  if (outcome === "full") throw conflict("too_many_daemons", userHasMost("daemons", config.perUser, daemon.user_id));
  if (outcome === "changed") await streams.signalDaemons("look", daemon.agent_id).catch(() => undefined);
}
