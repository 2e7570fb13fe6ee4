import { notFound } from "../../shared/domain/errors/app-error.ts";
import type { AgentRecord } from "../../shared/schemas/agent.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import type { Db } from "../../shared/store/client.ts";
import type { Caller } from "../http/caller.ts";

/** Returns the caller's agent. Throws not_found. */
export async function findAgent(db: Db, id: string, caller: Caller): Promise<AgentRecord> {
  const agent = await readAgent(db, id, caller.owner);
  if (!agent) throw notFound("agent", id);
  return agent;
}
