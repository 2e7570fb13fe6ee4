import { type VersionRecord, versionRecord } from "../../schemas/version.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";

/** A page of an agent's versions. Returns null when the owner has no such agent. */
export async function listVersions(
  db: Db,
  { agent_id, owner }: { agent_id: string; owner: Owner },
  status: string | undefined,
  page: PageRequest,
): Promise<Page<VersionRecord> | null> {
  const agent = await db.prisma.agent.findUnique({ where: { id: agent_id, ...ownedBy(owner) }, select: { id: true } });
  if (!agent) return null;
  const listing = {
    table: "agent_versions",
    key: "version",
    within: [["agent_id = ?", agent_id]],
    filters: [["status = ?::version_status", status]],
    load: (versions: string[]) => readVersions(db, agent_id, versions, owner),
  } as const;
  return readPage(db, listing, page);
}

async function readVersions(db: Db, agent_id: string, versions: string[], owner: Owner): Promise<VersionRecord[]> {
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    include: { versions: { where: { version: { in: versions } } }, tags: { orderBy: { tag: "asc" } } },
  });
  return (agent?.versions ?? []).map(({ version, status, config, created_at }) => ({
    object: "agent_version",
    agent_id,
    version,
    status,
    current: version === agent?.current_version,
    tags: (agent?.tags ?? []).filter((tag) => tag.version === version).map(({ tag }) => tag),
    config: versionRecord.shape.config.parse(config),
    created_at: created_at.toISOString(),
  }));
}

/** By its exact name. Returns null when the owner has no such version. */
export async function readVersion(
  db: Db,
  agent_id: string,
  version: string,
  owner: Owner,
): Promise<VersionRecord | null> {
  const [record] = await readVersions(db, agent_id, [version], owner);
  return record ?? null;
}
