import { devPrefix } from "../../domain/agent/version-names.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { Prisma } from "../generated/client.ts";
import { resolveVersionName } from "../agents/resolve-version.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";

export type CurrentVersionChange = {
  agent_id: string;
  /** An exact name, a tag, `current` or `latest`. Null: the one that was published before the current one. */
  version: string | null;
  /** A version that isn't published is made as a copy of the current one. */
  publish: boolean;
};

export type CurrentVersionOutcome = {
  kind: "moved";
  previous_version: string;
  version: string;
  created: boolean;
  /** Whether it was published after the previous one. */
  isNewer: boolean;
  /** Whether the agent's daemon follows. */
  daemon: boolean;
  at: Date;
};

/**
 * Moves what an agent's `current` names. Its daemon, if one is wanted, is to be replaced and remembers where to go back to:
 * the last version that was not under watch.
 * The agent's row lock makes moves one after another. Runs that were accepted before are pinned to their version.
 */
export async function storeCurrentVersion(
  db: Db,
  { agent_id, version, publish }: CurrentVersionChange,
): Promise<
  CurrentVersionOutcome | { kind: "no_agent" } | { kind: "no_version" } | { kind: "archived"; version: string }
> {
  return db.prisma.$transaction(async (tx) => {
    await lockRow(tx, "agents", agent_id);
    const agent = await tx.agent.findUnique({ where: { id: agent_id }, select: { current_version: true } });
    const previous = agent?.current_version;
    if (previous === undefined) return { kind: "no_agent" };
    const current = { agent_id_version: { agent_id, version: previous } };
    // Without its config, which may be of megabytes.
    const { created_at } = await tx.agentVersion.findUniqueOrThrow({ where: current, select: { created_at: true } });
    const known = await (version === null
      ? findEarlier(tx, agent_id, created_at)
      : resolveVersionName({ sql: queryableOf(tx) }, agent_id, version));
    const target = known ?? version;
    if (target === null || (known === null && !publish)) return { kind: "no_version" };
    if (known === null) await copyVersion.count(queryableOf(tx), { agent_id, from: previous, to: target });
    const moved = await tx.agentVersion.findUniqueOrThrow({
      where: { agent_id_version: { agent_id, version: target } },
      select: { created_at: true, status: true },
    });
    if (moved.status === "archived") return { kind: "archived", version: target };
    const at = new Date();
    if (target !== previous)
      await tx.agent.update({ where: { id: agent_id }, data: { current_version: target, updated_at: at } });
    const daemon = await replaceDaemon.first(queryableOf(tx), { agent_id, version: target });
    return {
      kind: "moved",
      previous_version: previous,
      version: target,
      created: known === null,
      isNewer: moved.created_at > created_at,
      daemon: daemon !== null,
      at,
    };
  });
}

/** Returns the version that was published before another one. */
async function findEarlier(tx: Prisma.TransactionClient, agent_id: string, than: Date): Promise<string | null> {
  const found = await tx.agentVersion.findFirst({
    where: {
      agent_id,
      status: { not: "archived" },
      created_at: { lt: than },
      NOT: { version: { startsWith: devPrefix } },
    },
    orderBy: { created_at: "desc" },
    select: { version: true },
  });
  return found?.version ?? null;
}

/** A build that is under way is not shared: the copy has one of its own. */
const copyVersion = statement({
  name: "copy-version",
  takes: { agent_id: t.text, from: t.text, to: t.text },
  text: sql`
    WITH copied AS (
      INSERT INTO agent_versions (agent_id, version, config, content_hash)
      SELECT agent_id, $to, config, content_hash FROM agent_versions WHERE agent_id = $agent_id AND version = $from
    )
    INSERT INTO builds (agent_id, version, adapter, state, log, error, lock, output, started_at, ended_at)
    SELECT agent_id, $to, adapter, state, log, error, lock, output, started_at, ended_at FROM builds
    WHERE agent_id = $agent_id AND version = $from`,
});

const replaceDaemon = statement({
  name: "replace-daemon",
  takes: { agent_id: t.text, version: t.text },
  gives: { agent_id: t.text },
  text: sql`
    UPDATE daemons SET version = $version, restart_wanted = restart_wanted + 1, watch_until = NULL, crashes = 0,
      next_start_at = NULL,
      previous_version = CASE WHEN previous_version = $version THEN NULL ELSE coalesce(previous_version, version) END,
      status = CASE WHEN status = 'failed' THEN 'starting' ELSE status END
    WHERE agent_id = $agent_id AND desired <> 'stopped' AND version <> $version
    RETURNING agent_id`,
});
