import type { Db } from "../client.ts";

/** A version's config, and its agent's revision: while that is the same, so is the config. */
export type ReadConfig = { config: Record<string, unknown>; revision: string };

/** Null where there is no such version, or no such agent any more. */
export async function readVersionConfig(db: Db, agentId: string, version: string): Promise<ReadConfig | null> {
  const { rows } = await db.sql.query<ReadConfig>({ ...statement, values: [agentId, version] });
  return rows[0] ?? null;
}

const statement = {
  name: "read-version-config",
  text: `
    SELECT v.config, a.revision FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    WHERE a.id = $1 AND v.version = $2`,
};
