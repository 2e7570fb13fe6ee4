import { isDeepStrictEqual } from "node:util";
import type { Agent, AgentVersion, Prisma } from "../generated/client.ts";
import type { AgentRecord } from "../../schemas/agent.ts";
import type { Db } from "../client.ts";
import { hasRoom, turnOf } from "../has-room.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";
import { isPrismaUniqueViolation } from "../sql-faults.ts";
import { toAgentRecord } from "./agent-record.ts";

export type NewVersion = {
  user_id: string;
  id: string;
  /** Null: the agent must stand already. */
  name: string | null;
  version: string;
  config: Record<string, unknown>;
  metadata: Record<string, unknown>;
  /** Of one user. */
  most_agents: number;
};

/** `missing`: there is no such agent. `full`: the user has `most_agents` already. `unchanged`: this very version stands already. `foreign`: the agent is somebody else's. `differs`: versions are immutable. `is_tag`: a tag of the agent has the version's name. */
export type Publication =
  | { kind: "published"; agent: AgentRecord }
  | { kind: "unchanged"; agent: AgentRecord }
  | { kind: "missing" }
  | { kind: "full" }
  | { kind: "foreign" }
  | { kind: "differs" }
  | { kind: "is_tag" };

/**
 * Makes an agent with its first version, or publishes one more version of it. `current` stays where it is. Of concurrent
 * calls for one version the keys let one through; the others look again and find it.
 */
export async function publishVersion(db: Db, version: NewVersion): Promise<Publication> {
  try {
    return await publish(db, version);
  } catch (error) {
    if (!isPrismaUniqueViolation(error)) throw error;
    return publish(db, version);
  }
}

const json = (value: Record<string, unknown>) => value as Prisma.InputJsonObject;

async function publish(db: Db, asked: NewVersion): Promise<Publication> {
  const { user_id, id, name, version, config } = asked;
  return db.inTurn(turnOf("agents", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      await tx.user.upsert({ where: { id: user_id }, create: { id: user_id }, update: { deleted_at: null } });
      await lockRow(tx, "agents", id);
      const include = { versions: { where: { version } }, tags: { where: { tag: version } } };
      const agent = await tx.agent.findUnique({ where: { id }, include });
      if (agent && agent.user_id !== user_id) return { kind: "foreign" };
      if (!agent && name === null) return { kind: "missing" };
      const standing = agent?.versions[0];
      if (agent && standing) return compare(agent, standing, config);
      if (agent?.tags.length) return { kind: "is_tag" };
      const owner = agent ?? (await createAgent(tx, asked));
      if (!owner) return { kind: "full" };
      const made = await tx.agentVersion.create({ data: { agent_id: id, version, config: json(config) } });
      return { kind: "published", agent: toAgentRecord(owner, made) };
    }),
  );
}

function compare(agent: Agent, standing: AgentVersion, config: Record<string, unknown>): Publication {
  const same = isDeepStrictEqual(standing.config, JSON.parse(JSON.stringify(config)));
  return same ? { kind: "unchanged", agent: toAgentRecord(agent, standing) } : { kind: "differs" };
}

/** Returns null when its user has `most_agents` already. */
async function createAgent(tx: Prisma.TransactionClient, asked: NewVersion): Promise<Agent | null> {
  const { user_id, id, name, version, metadata, most_agents: most } = asked;
  if (!(await hasRoom(queryableOf(tx), { thing: "agents", user_id, most }))) return null;
  const data = { id, user_id, name: name ?? id, current_version: version, metadata: json(metadata) };
  return tx.agent.create({ data });
}
