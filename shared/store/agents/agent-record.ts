import { type AgentListItem, type AgentRecord, agentRecord } from "../../schemas/agent.ts";
import type { Agent, AgentVersion } from "../generated/client.ts";

/** The public record of an agent, as of one of its versions. */
export function toAgentRecord(agent: Agent, version: AgentVersion): AgentRecord {
  const config = agentRecord.shape.config.parse(version.config);
  return { ...toAgentListItem(agent), version: version.version, config };
}

/** The record of an agent in a list, as of its current version. */
export function toAgentListItem(agent: Agent): AgentListItem {
  return {
    id: agent.id,
    object: "agent",
    user_id: agent.user_id,
    name: agent.name,
    version: agent.current_version,
    current_version: agent.current_version,
    status: agent.status,
    metadata: agentRecord.shape.metadata.parse(agent.metadata),
    created_at: agent.created_at.toISOString(),
    updated_at: agent.updated_at.toISOString(),
  };
}
