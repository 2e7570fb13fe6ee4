import { notFound } from "../../shared/domain/errors/app-error.ts";
import { readAgentOwner } from "../../shared/store/agents/read-agent-owner.ts";
import type { ConnectionRef } from "../../shared/store/connections/change-connection.ts";
import type { Db } from "../../shared/store/client.ts";
import { type Caller, ownerOf } from "../http/caller.ts";

type ConnectionRequest = {
  params: { connection_id: string };
  query: { user_id?: string | undefined; agent_id?: string | undefined };
};

/** Returns whose connection a request names. An agent's belongs to the agent's owner. Throws not_found for the agent. */
export async function connectionRef(
  db: Db,
  { params, query, caller }: ConnectionRequest & { caller: Caller },
): Promise<ConnectionRef> {
  const { agent_id = null } = query;
  const user_id = ownerOf(caller, query.user_id);
  if (agent_id === null) return { user_id, agent_id, name: params.connection_id };
  const owner = await readAgentOwner(db, agent_id, caller.owner);
  const isNamed = query.user_id === undefined || owner === query.user_id;
  if (owner === null || !isNamed) throw notFound("agent", agent_id);
  return { user_id: owner, agent_id, name: params.connection_id };
}
