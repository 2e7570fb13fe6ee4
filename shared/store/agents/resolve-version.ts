import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { AgentStatus, VersionStatus } from "../generated/client.ts";
import type { Owner } from "../owned-by.ts";
import { isDevVersion } from "./is-dev-version.ts";

/** An agent's version by its exact name, a tag, `current` (what Upgrade set) or `latest` (the newest, a development version only where there is no other). */
export type ResolvedVersion = {
  user_id: string;
  /** Of the agent. */
  status: string;
  version: string;
  version_status: string;
  config: Record<string, unknown>;
  /** Of the agent: while it is the same, so is all of this. */
  revision: string;
};

/** There is no such agent, or no such version of it. */
export type MissingVersion = { missing: "agent" | "version" };

/** One round trip; an exact name wins over a tag of the same name. */
export async function resolveVersion(
  db: { sql: Queryable },
  agentId: string,
  version: string,
  owner: Owner,
): Promise<ResolvedVersion | MissingVersion> {
  const row = await resolve.first(db.sql, { agent_id: agentId, version, owner });
  if (!row) return { missing: "agent" };
  if (row.version === null) return { missing: "version" };
  // A config that stands as JSON null has no fields, as for `readConfig`.
  return { ...row, version: row.version, config: row.config ?? {} };
}

/** The name of what `resolveVersion` returns; null: there is none. Reads no config, which may be of megabytes. */
export async function resolveVersionName(
  db: { sql: Queryable },
  agentId: string,
  version: string,
): Promise<string | null> {
  return (await resolveName.first(db.sql, { agent_id: agentId, version }))?.version ?? null;
}

/** SQL on a row `a` of `agents`: `v`, the version that $version stands for, or nulls. `columns`: those of `agent_versions`. */
const named = (columns: Sql): Sql => sql`
    LEFT JOIN LATERAL (
      SELECT ${columns}, CASE WHEN version = $version THEN 0 ELSE 1 END AS rank
      FROM agent_versions
      WHERE agent_id = a.id AND (version = $version
        OR ($version = 'current' AND version = a.current_version)
        OR ($version = 'latest' AND version = (
          SELECT version FROM agent_versions WHERE agent_id = a.id
          ORDER BY ${isDevVersion}, created_at DESC, version DESC LIMIT 1))
        OR version = (SELECT t.version FROM agent_tags t WHERE t.agent_id = a.id AND t.tag = $version))
      ORDER BY rank LIMIT 1
    ) v ON true`;

const resolveName = statement({
  name: "resolve-version-name",
  takes: { agent_id: t.text, version: t.text },
  gives: { version: orNull(t.text) },
  text: sql`SELECT v.version FROM agents a ${named(sql`version`)} WHERE a.id = $agent_id`,
});

const resolve = statement({
  name: "resolve-version",
  takes: { agent_id: t.text, version: t.text, owner: orNull(t.text) },
  gives: {
    user_id: t.text,
    status: t.enumeration<AgentStatus>("agent_status"),
    revision: t.bigint,
    version: orNull(t.text),
    version_status: t.enumeration<VersionStatus>("version_status"),
    config: t.json<Record<string, unknown> | null>(),
  },
  text: sql`
    SELECT a.user_id, a.status, a.revision, v.version, v.version_status, v.config FROM agents a
    ${named(sql`version, status AS version_status, config`)}
    WHERE a.id = $agent_id AND ($owner IS NULL OR a.user_id = $owner)`,
});
