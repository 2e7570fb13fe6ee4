import type { Agent, Prisma } from "../generated/client.ts";
import type { AgentRecord } from "../../schemas/agent.ts";
import { hashJson } from "../../platform/hash-json.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { isBelowUserLimit, userLockName } from "../user-limits.ts";
import { lockRow, queryableOf } from "../prisma-transaction.ts";
import { isPrismaUniqueViolation } from "../sql-faults.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { toAgentRecord } from "./agent-record.ts";
import { lockUser } from "../users/lock-user.ts";
import { firstVersion, nameContent } from "./name-content.ts";

export type NewVersion = {
  user_id: string;
  id: string;
  /** Null: the agent must stand already. */
  name: string | null;
  /** Null: the version is named by its content. */
  version: string | null;
  /** A version without a name becomes a development version. */
  dev: boolean;
  config: Record<string, unknown>;
  /** The adapter whose workers build the version. Null: it needs no build. */
  builder: string | null;
  metadata: Record<string, unknown>;
  /** Of one user. */
  most_agents: number;
};

/** `no_user`: the user was deleted. `missing`: there is no such agent. `full`: the user has `most_agents` already. `unchanged`: this very version stands already. `foreign`: the agent is, or was, somebody else's. `differs`: versions are immutable. `is_tag`: a tag of the agent has the version's name. */
export type Publication =
  | { kind: "published"; agent: AgentRecord }
  | { kind: "unchanged"; agent: AgentRecord }
  | { kind: "no_user" }
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

/** A config may be some MB long. */
const patience = { maxWait: 10_000, timeout: 30_000 };

async function publish(db: Db, asked: NewVersion): Promise<Publication> {
  const { user_id, id, name, config, dev } = asked;
  const content_hash = hashJson(config);
  return db.withMutex(userLockName("agents", user_id), () =>
    db.prisma.$transaction(async (tx) => {
      await lockUser(queryableOf(tx), user_id);
      await lockRow(tx, "agents", id);
      const agent = await tx.agent.findUnique({ where: { id } });
      if (agent && agent.user_id !== user_id) return { kind: "foreign" };
      if (!agent && name === null) return { kind: "missing" };
      const content = { agent_id: id, content_hash, dev };
      const version = asked.version ?? (agent ? await nameContent(tx, content) : firstVersion(content));
      const taken = agent && (await findTaken(tx, agent, { version, content_hash }));
      if (taken) return taken;
      const owner = agent ?? (await createAgent(tx, { ...asked, version }));
      if (typeof owner === "string") return { kind: owner };
      const data = { agent_id: id, version, config: json(config), content_hash: new Uint8Array(content_hash) };
      const made = await tx.agentVersion.create({ data });
      if (asked.builder !== null) await tx.build.create({ data: { agent_id: id, version, adapter: asked.builder } });
      return { kind: "published", agent: toAgentRecord(owner, made) };
    }, patience),
  );
}

/** An agent's id stays its first user's, also when the agent is deleted. */
const claimId = statement({
  name: "claim-agent-id",
  takes: { id: t.text, user_id: t.text },
  gives: { user_id: t.text },
  text: sql`
    INSERT INTO agent_owners AS known (agent_id, user_id) VALUES ($id, $user_id)
    ON CONFLICT (agent_id) DO UPDATE SET user_id = known.user_id RETURNING user_id`,
});

/** Returns why a version can't be made, or that it stands already; null when its name is free. */
async function findTaken(
  tx: Prisma.TransactionClient,
  agent: Agent,
  { version, content_hash: hash }: { version: string; content_hash: Buffer },
): Promise<Publication | null> {
  const { id: agent_id } = agent;
  const standing = await tx.agentVersion.findUnique({ where: { agent_id_version: { agent_id, version } } });
  if (standing) {
    const isSame = hash.equals(standing.content_hash ?? hashJson(standing.config));
    return isSame ? { kind: "unchanged", agent: toAgentRecord(agent, standing) } : { kind: "differs" };
  }
  return (await tx.agentTag.count({ where: { agent_id, tag: version } })) > 0 ? { kind: "is_tag" } : null;
}

/** Returns `no_user` when its user was deleted, `full` when the user has `most_agents` already, and `foreign` when another user had an agent with this id. */
async function createAgent(
  tx: Prisma.TransactionClient,
  { user_id, id, name, version, metadata, most_agents: most }: NewVersion & { version: string },
): Promise<Agent | "no_user" | "full" | "foreign"> {
  const client = queryableOf(tx);
  if (!(await tx.user.findUnique({ where: { id: user_id, deleted_at: null } }))) return "no_user";
  if (!(await isBelowUserLimit(client, { thing: "agents", user_id, most }))) return "full";
  if ((await claimId.first(client, { id, user_id }))?.user_id !== user_id) return "foreign";
  const data = { id, user_id, name: name ?? id, current_version: version, metadata: json(metadata) };
  return tx.agent.create({ data });
}
