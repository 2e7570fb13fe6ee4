import { buildOutput, type BuildRecord } from "../../schemas/build.ts";
import type { Db } from "../client.ts";

/** Returns the build of a version; null when it needs none. Whose it is, the caller has checked. */
export async function readBuild(db: Db, agent_id: string, version: string): Promise<BuildRecord | null> {
  const found = await db.prisma.build.findUnique({ where: { agent_id_version: { agent_id, version } } });
  if (!found) return null;
  const { state, error, log, lock, attempts, started_at, ended_at } = found;
  const output = buildOutput.safeParse(found.output);
  const files = Object.entries(output.data?.files ?? {}).map(([name, text]) => ({
    name,
    size: Buffer.byteLength(text),
  }));
  return {
    object: "build",
    agent_id,
    version,
    state,
    error,
    log,
    lock,
    files,
    attempts,
    started_at: started_at?.toISOString() ?? null,
    ended_at: ended_at?.toISOString() ?? null,
  };
}
