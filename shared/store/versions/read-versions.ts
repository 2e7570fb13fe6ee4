import { type VersionListItem, type VersionRecord, versionRecord } from "../../schemas/version.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";

/** A page of an agent's versions. `with_config`: the configs are read, too. Returns null when the owner has no such agent. */
export async function listVersions(
  db: Db,
  { agent_id, owner }: { agent_id: string; owner: Owner },
  { status, with_config }: { status: string | undefined; with_config: boolean },
  page: PageRequest,
): Promise<Page<VersionListItem> | null> {
  const agent = await db.prisma.agent.findUnique({ where: { id: agent_id, ...ownedBy(owner) }, select: { id: true } });
  if (!agent) return null;
  const listing = {
    table: "agent_versions",
    key: "version",
    within: [["agent_id = ?", agent_id]],
    filters: [["status = ?::version_status", status]],
    bytes: with_config ? [bytesOf("config")] : [],
    load: (versions: string[]): Promise<VersionListItem[]> =>
      (with_config ? readVersions : readListed)(db, agent_id, versions, owner),
  } as const;
  return readPage(db, listing, page);
}

async function readListed(db: Db, agent_id: string, versions: string[], owner: Owner): Promise<VersionListItem[]> {
  const agent = await db.prisma.agent.findUnique({
    where: { id: agent_id, ...ownedBy(owner) },
    include: {
      versions: {
        where: { version: { in: versions } },
        omit: { config: true },
        include: { build: { select: { state: true } } },
      },
      tags: { orderBy: { tag: "asc" } },
    },
  });
  return (agent?.versions ?? []).map(({ version, status, created_at, build }) => ({
    object: "agent_version",
    agent_id,
    version,
    status,
    current: version === agent?.current_version,
    state: build?.state ?? ("ready" as const),
    tags: (agent?.tags ?? []).filter((tag) => tag.version === version).map(({ tag }) => tag),
    created_at: created_at.toISOString(),
  }));
}

async function readVersions(db: Db, agent_id: string, versions: string[], owner: Owner): Promise<VersionRecord[]> {
  const listed = await readListed(db, agent_id, versions, owner);
  const names = listed.map(({ version }) => version);
  const select = { version: true, config: true } as const;
  const rows = await db.prisma.agentVersion.findMany({ where: { agent_id, version: { in: names } }, select });
  const configs = new Map(rows.map(({ version, config }) => [version, versionRecord.shape.config.parse(config)]));
  return listed.flatMap((item) => {
    const config = configs.get(item.version);
    return config ? [{ ...item, config }] : [];
  });
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
