import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
import { literal, sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type AgentName = { name: string; user_id: string; created_at: Date };

const active = literal("active");

/**
 * Returns the names under which the owner's newest 1,000 active agents can be run: each agent's id, `id@tag`, and `id@version`
 * of its newest 20 versions. At most 1,000 names.
 */
export function listAgentNames(db: Db, owner: Owner): Promise<AgentName[]> {
  return list.rows(db.sql, { owner });
}

const list = statement({
  name: "list-agent-names",
  takes: { owner: orNull(t.text) },
  gives: { name: t.text, user_id: t.text, created_at: t.timestamptz },
  text: sql`
    SELECT a.id || coalesce('@' || n.suffix, '') AS name, a.user_id, a.created_at
    FROM (
      SELECT id, user_id, created_at FROM agents WHERE status = ${active} AND ($owner IS NULL OR user_id = $owner)
      ORDER BY created_at DESC, id DESC LIMIT 1000
    ) a CROSS JOIN LATERAL (
      SELECT NULL AS suffix, 0 AS rank
      UNION ALL SELECT tag, 1 FROM agent_tags WHERE agent_id = a.id
      UNION ALL SELECT version, 2 FROM (
        SELECT version FROM agent_versions WHERE agent_id = a.id AND status <> 'archived'
        ORDER BY created_at DESC, version DESC LIMIT 20) v
    ) n
    ORDER BY a.created_at DESC, a.id DESC, n.rank, n.suffix LIMIT 1000`,
});
