import type { AgentRecord } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { type Owner, ownedBy } from "../owned-by.ts";
import { type Page, type PageRequest, readPage } from "../read-page.ts";
import { searchPattern } from "../search-pattern.ts";
import { toAgentRecord } from "./agent-record.ts";

export type AgentFilter = {
  status?: string | undefined;
  user_id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  search?: string | undefined;
};

export function listAgents(db: Db, owner: Owner, filter: AgentFilter, page: PageRequest): Promise<Page<AgentRecord>> {
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
    load: (ids: string[]) => readAgents(db, ids, owner),
  } as const;
  return readPage(db, listing, page);
}

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
