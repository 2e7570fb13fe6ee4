import type { Queryable } from "../client.ts";
import type { Owner } from "../owned-by.ts";

/** An agent's version by its exact name, a tag, `current` (what Upgrade set) or `latest` (the newest). */
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
  const { rows } = await db.sql.query<Omit<ResolvedVersion, "version"> & { version: string | null }>({
    ...statement,
    values: [agentId, version, owner],
  });
  const row = rows[0];
  if (!row) return { missing: "agent" };
  if (row.version === null) return { missing: "version" };
  return { ...row, version: row.version };
}

const statement = {
  name: "resolve-version",
  text: `
    SELECT a.user_id, a.status, a.revision, v.version, v.version_status, v.config FROM agents a
    LEFT JOIN LATERAL (
      SELECT version, status AS version_status, config, CASE WHEN version = $2 THEN 0 ELSE 1 END AS rank FROM agent_versions
      WHERE agent_id = a.id AND (version = $2
        OR ($2 = 'current' AND version = a.current_version)
        OR ($2 = 'latest' AND version = (
          SELECT version FROM agent_versions WHERE agent_id = a.id ORDER BY created_at DESC, version DESC LIMIT 1))
        OR version = (SELECT t.version FROM agent_tags t WHERE t.agent_id = a.id AND t.tag = $2))
      ORDER BY rank LIMIT 1
    ) v ON true
    WHERE a.id = $1 AND ($3::text IS NULL OR a.user_id = $3)`,
};
