import type { Config } from "../../platform/config/load-config.ts";
import { conflict, unavailable } from "../../domain/errors/app-error.ts";
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

type Deps = { config: Pick<Config, "perUser">; db: Db; streams: RunStreams };

/**
 * Starts an agent's daemon where there is none, since somebody is about to send it a message. A paused one stays paused.
 * Throws `unavailable` when it has failed: then it is to be started by hand. Throws
 * `conflict` where its user has too many.
 */
export async function wakeDaemon({ config, db, streams }: Deps, daemon: NamedDaemon): Promise<void> {
  const standing = await readDesired(db, daemon.agent_id);
  if (standing?.status === "failed")
    throw unavailable("daemon_failed", "The agent's daemon crashed too often and has to be started again.", 60);
  if (standing && standing.desired !== "stopped") return;
  const start = {
    action: "start",
    version: null,
    current_version: daemon.version,
    new_env: false,
    grace_ms: null,
  } as const;
  const decide = (now: StandingRow): DaemonChange | null => {
    const wish = now.desired === "stopped" ? applyCommand(now, start) : null;
    return wish && { wish, sealed_env: null };
  };
  const outcome = await changeDaemon(db, daemon, decide, config.perUser.daemons);
  if (outcome === "full")
    throw conflict("too_many_daemons", `As many daemons of '${daemon.user_id}' are started as may be; stop one.`);
  if (outcome === "changed") await streams.signalDaemons("look", daemon.agent_id).catch(() => undefined);
}
