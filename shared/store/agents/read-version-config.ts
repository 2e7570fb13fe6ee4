import type { Db } from "../client.ts";
import { type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const readConfig = { config: t.json<Record<string, unknown>>(), revision: t.bigint };

/** A version's config, and its agent's revision: while that is the same, so is the config. */
export type ReadConfig = Row<typeof readConfig>;

/** Returns null when there is no such version, or no such agent any more. */
export async function readVersionConfig(db: Db, agentId: string, version: string): Promise<ReadConfig | null> {
  return read.first(db.sql, { agent_id: agentId, version });
}

const read = statement({
  name: "read-version-config",
  takes: { agent_id: t.text, version: t.text },
  gives: readConfig,
  text: sql`
    SELECT v.config, a.revision FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    WHERE a.id = $agent_id AND v.version = $version`,
});
