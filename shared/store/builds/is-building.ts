import type { Db } from "../client.ts";
import { perRow, raw, type Sql, sql } from "../sql.ts";

/** SQL on one row with the `agent_id` and `version` of a run: its version is not being built. */
export const isBuilt = (run: string): Sql => sql`
  NOT EXISTS (SELECT 1 FROM builds WHERE builds.agent_id = ${raw(run)}.agent_id AND builds.version = ${raw(run)}.version
    AND builds.state = 'building' ${perRow})`;

export async function isBuilding(db: Db, run: { agent_id: string; version: string }): Promise<boolean> {
  const { agent_id, version } = run;
  const found = await db.prisma.build.findUnique({
    where: { agent_id_version: { agent_id, version } },
    select: { state: true },
  });
  return found?.state === "building";
}
