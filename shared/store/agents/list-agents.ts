import type { AgentListItem, AgentRecord } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { bytesOf, type Page, type PageRequest, readPage } from "../read-page.ts";
import { searchPattern } from "../search-pattern.ts";
import { toAgentListItem, toAgentRecord } from "./agent-record.ts";

export type AgentFilter = {
  status?: string | undefined;
  user_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
};

/** A page of agents, each as of its current version. `with_config`: the configs are read, too. */
export function listAgents(
  db: Db,
  owner: Owner,
  filter: AgentFilter & { with_config?: boolean },
  page: PageRequest,
): Promise<Page<AgentListItem>> {
  const listing = {
    table: "agents",
    key: "id",
    within: [["user_id = ?", owner]],
    filters: [
      ["status = ?::agent_status", filter.status],
      ["user_id = ?", filter.user_id],
      ["created_at >= ?", filter.since],
      ["created_at < ?", filter.until],
    ],
    unindexed: [["(id ILIKE ? OR name ILIKE ?)", searchPattern(filter.search)]],
    bytes: [bytesOf("metadata"), ...(filter.with_config ? [configBytes] : [])],
    load: async (ids: string[]): Promise<AgentListItem[]> =>
      filter.with_config
        ? readAgents(db, ids, owner)
        : (await db.prisma.agent.findMany({ where: { id: { in: ids } } })).map(toAgentListItem),
  } as const;
  return readPage(db, listing, page);
}

const configBytes = `(SELECT octet_length(v.config::text) FROM agent_versions v
  WHERE v.agent_id = agents.id AND v.version = agents.current_version)`;

/** The owner's agents of these ids, each as of its current version. */
async function readAgents(db: Db, ids: string[], owner: Owner): Promise<AgentRecord[]> {
  const agents = await db.prisma.agent.findMany({ where: { id: { in: ids }, ...ownedBy(owner) } });
  const current = agents.map(({ id, current_version }) => ({ agent_id: id, version: current_version }));
  const versions = agents.length > 0 ? await db.prisma.agentVersion.findMany({ where: { OR: current } }) : [];
  const byAgent = new Map(versions.map((version) => [version.agent_id, version]));
  return agents.flatMap((agent) => {
    const version = byAgent.get(agent.id);
    return version ? [toAgentRecord(agent, version)] : [];
  });
}

/** Returns null when the owner has no such agent. */
export async function readAgent(db: Db, id: string, owner: Owner): Promise<AgentRecord | null> {
  const [agent] = await readAgents(db, [id], owner);
  return agent ?? null;
}
