import type { Db } from "../client.ts";
import { inTransaction } from "../in-transaction.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import type { VersionStatus } from "../generated/client.ts";
import type { Owner } from "../owned-by.ts";

type Place = { agent_id: string; version: string; owner: Owner };

/** `current`: what `current` names can't be archived. */
export async function setVersionStatus(
  db: Db,
  { agent_id, version, owner }: Place,
  status: "active" | "deprecated" | "archived",
): Promise<"done" | "missing" | "current"> {
  const row = await set.first(db.sql, { agent_id, version, owner, status });
  if (!row) return "missing";
  return row.current && status === "archived" ? "current" : "done";
}

const place = { agent_id: t.text, version: t.text, owner: orNull(t.text) };

const set = statement({
  name: "set-version-status",
  takes: { ...place, status: t.enumeration<VersionStatus>("version_status") },
  gives: { current: t.boolean },
  text: sql`
    WITH named AS (
      SELECT v.agent_id, v.version, a.current_version = v.version AS current
      FROM agents a JOIN agent_versions v ON v.agent_id = a.id
      WHERE a.id = $agent_id AND v.version = $version AND ($owner IS NULL OR a.user_id = $owner) FOR UPDATE OF a
    ), changed AS (
      UPDATE agent_versions v SET status = $status FROM named n
      WHERE v.agent_id = n.agent_id AND v.version = n.version AND NOT (n.current AND $status = 'archived')
    )
    SELECT current FROM named`,
});

/**
 * Points a tag at a version, wherever it pointed before. `missing`: the owner has no such version. `taken`: a version has the
 * tag's name, which is looked for under the agent's lock, as publishing a version looks for a tag.
 */
export async function putTag(
  db: Db,
  { agent_id, version, owner }: Place,
  tag: string,
): Promise<"done" | "missing" | "taken"> {
  return inTransaction(db, async (client) => {
    await lockAgent.count(client, { agent_id });
    const isTaken = (await isVersion.count(client, { agent_id, version: tag, owner })) > 0;
    if (isTaken) return "taken";
    return (await put.count(client, { agent_id, version, owner, tag })) === 1 ? "done" : "missing";
  });
}

const lockAgent = statement({
  name: "lock-agent-for-tag",
  takes: { agent_id: t.text },
  gives: { id: t.text },
  text: sql`SELECT id FROM agents WHERE id = $agent_id FOR UPDATE`,
});

const isVersion = statement({
  name: "is-agent-version",
  takes: place,
  gives: { version: t.text },
  text: sql`
    SELECT v.version FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    WHERE a.id = $agent_id AND v.version = $version AND ($owner IS NULL OR a.user_id = $owner)`,
});

const put = statement({
  name: "put-agent-tag",
  takes: { ...place, tag: t.text },
  text: sql`
    INSERT INTO agent_tags (agent_id, tag, version)
    SELECT v.agent_id, $tag, v.version FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    WHERE a.id = $agent_id AND v.version = $version AND ($owner IS NULL OR a.user_id = $owner)
    ON CONFLICT (agent_id, tag) DO UPDATE SET version = excluded.version, updated_at = now()`,
});

/** Returns false when there is no such tag on an agent of the owner's. */
export async function deleteTag(db: Db, agent_id: string, tag: string, owner: Owner): Promise<boolean> {
  return (await remove.count(db.sql, { agent_id, tag, owner })) === 1;
}

const remove = statement({
  name: "delete-agent-tag",
  takes: { agent_id: t.text, tag: t.text, owner: orNull(t.text) },
  text: sql`
    DELETE FROM agent_tags t USING agents a
    WHERE a.id = t.agent_id AND t.agent_id = $agent_id AND t.tag = $tag AND ($owner IS NULL OR a.user_id = $owner)`,
});
