import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const readConfig = {
  config: t.json<Record<string, unknown>>(),
  /** What its build made; null when it needs none, or has failed. */
  output: orNull(t.json<unknown>()),
  /** The Python packages exactly; null where no build locked them. */
  lock: orNull(t.text),
  /** Why its build failed. */
  build_error: orNull(t.text),
  revision: t.bigint,
};

/** A version's config and build, and its agent's revision: while that is the same, so is the config. */
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
    SELECT v.config, b.output, CASE WHEN b.adapter = 'python' THEN b.lock END AS lock, b.error AS build_error, a.revision
    FROM agents a JOIN agent_versions v ON v.agent_id = a.id
    LEFT JOIN builds b ON b.agent_id = v.agent_id AND b.version = v.version
    WHERE a.id = $agent_id AND v.version = $version`,
});
