import { unavailable } from "./errors.ts";
import { applyCommand } from "./run/control-daemon.ts";
import type { Db } from "./store/client.ts";
import { changeDaemon, type NamedDaemon } from "./store/daemons/change-daemon.ts";
import type { RunStreams } from "./stream/run-streams.ts";

/**
 * Starts an agent's daemon where there is none, since somebody is about to send it a message. A paused one stays paused.
 * Throws `unavailable` when it has failed: then it is to be started by hand.
 */
export async function wakeDaemon({ db, streams }: { db: Db; streams: RunStreams }, daemon: NamedDaemon): Promise<void> {
  const where = { agent_id: daemon.agent_id };
  const standing = await db.prisma.daemon.findUnique({ where, select: { desired: true, status: true } });
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
  const started = await changeDaemon(db, daemon, (now) => {
    const wish = now.desired === "stopped" ? applyCommand(now, start) : null;
    return wish && { wish, sealed_env: null };
  });
  if (started) await streams.tellDaemons("look", daemon.agent_id).catch(() => undefined);
}
