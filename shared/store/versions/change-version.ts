import type { Db } from "../client.ts";
import type { Owner } from "../owned-by.ts";

type Place = { agent_id: string; version: string; owner: Owner };

/** `current`: what `current` names can't be archived. */
export async function setVersionStatus(
  db: Db,
  { agent_id, version, owner }: Place,
  status: "active" | "deprecated" | "archived",
): Promise<"done" | "missing" | "current"> {
  const { rows } = await db.sql.query<{ current: boolean }>({ ...set, values: [agent_id, version, owner, status] });
  const [row] = rows;
  if (!row) return "missing";
  return row.current && status === "archived" ? "current" : "done";
}

const set = {
  name: "set-version-status",
  text: `
    WITH named AS (
      SELECT v.agent_id, v.version, a.current_version = v.version AS current
      FROM agents a JOIN agent_versions v ON v.agent_id = a.id
      WHERE a.id = $1 AND v.version = $2 AND ($3::text IS NULL OR a.user_id = $3) FOR UPDATE OF a
    ), changed AS (
      UPDATE agent_versions v SET status = $4::version_status FROM named n
      WHERE v.agent_id = n.agent_id AND v.version = n.version AND NOT (n.current AND $4 = 'archived')
    )
    SELECT current FROM named`,
};

/** Points a tag at a version, wherever it pointed before. False: the owner has no such version. */
export async function putTag(db: Db, { agent_id, version, owner }: Place, tag: string): Promise<boolean> {
  const { rowCount } = await db.sql.query({ ...put, values: [agent_id, version, owner, tag] });
  return rowCount === 1;
}

const put = {
  name: "put-agent-tag",
  text: `
    INSERT INTO agent_tags (agent_id, tag, version)
    SELECT v.agent_id, $4, v.version FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    WHERE a.id = $1 AND v.version = $2 AND ($3::text IS NULL OR a.user_id = $3)
    ON CONFLICT (agent_id, tag) DO UPDATE SET version = excluded.version, updated_at = now()`,
};

/** False: there is no such tag on an agent of the owner's. */
export async function deleteTag(db: Db, agent_id: string, tag: string, owner: Owner): Promise<boolean> {
  const { rowCount } = await db.sql.query(
    `DELETE FROM agent_tags t USING agents a
     WHERE a.id = t.agent_id AND t.agent_id = $1 AND t.tag = $2 AND ($3::text IS NULL OR a.user_id = $3)`,
    [agent_id, tag, owner],
  );
  return rowCount === 1;
}
