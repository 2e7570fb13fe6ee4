import { AppError, conflict, notFound } from "../../domain/errors/app-error.ts";
import { compareVersions } from "../../domain/agent/compare-versions.ts";
import type { Upgraded } from "../../schemas/upgrade.ts";
import type { Owner } from "../../store/owned-by.ts";
import { readDaemon } from "../../store/daemons/read-daemon.ts";
import { type CurrentVersionChange, storeCurrentVersion } from "../../store/versions/set-current-version.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { Db } from "../../store/client.ts";

/** Changes an agent's `current` and signals the supervisor of its daemon, which drains, replaces and watches the process. */
export async function setCurrentVersion(
  ctx: { db: Db; streams: Pick<RunStreams, "signalDaemons"> },
  move: CurrentVersionChange,
  owner: Owner,
): Promise<Upgraded> {
  const { agent_id } = move;
  if (!(await readDaemon(ctx.db, agent_id, owner))) throw notFound("agent", agent_id);
  const moved = await storeCurrentVersion(ctx.db, move);
  if (moved.kind === "no_agent") throw notFound("agent", agent_id);
  if (moved.kind === "archived")
    throw conflict("version_archived", `Version '${moved.version}' is archived. Restore it to make it current.`);
  if (moved.kind === "no_version") {
    if (move.version !== null) throw notFound("version", move.version);
    throw new AppError(
      "not_found",
      "version_not_found",
      "No version was published before the current one. Name the `version` to go back to.",
    );
  }
  if (moved.daemon) await ctx.streams.signalDaemons("look", agent_id).catch(() => undefined);
  const daemon = await readDaemon(ctx.db, agent_id, owner);
  const { previous_version, version, created, isNewer, at } = moved;
  const changed = version !== previous_version;
  return {
    agent_id,
    previous_version,
    version,
    // Names that differ behind a `+` only are as old as their versions.
    direction: changed ? directionOf(compareVersions(version, previous_version) || (isNewer ? 1 : -1)) : "none",
    changed,
    created,
    daemon: daemon?.desired === "stopped" ? null : daemon,
    upgraded_at: at.toISOString(),
  };
}

function directionOf(order: number): Upgraded["direction"] {
  return order > 0 ? "upgrade" : "downgrade";
}
