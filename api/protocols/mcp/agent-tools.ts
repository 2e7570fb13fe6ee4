import { clientId } from "../../../shared/schemas/primitives.ts";
import { readConfig } from "../../../shared/schemas/agent-config.ts";
import type { AgentListItem } from "../../../shared/schemas/agent.ts";
import { listAgents } from "../../../shared/store/agents/list-agents.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import type { Tool, ToolPage } from "./tool-set.ts";

const pageSize = 50;

/** Returns a page of the caller's active agents as tools, the oldest first: a new agent comes last. */
export async function listAgentTools(db: Db, owner: Owner, cursor: string | undefined): Promise<ToolPage> {
  if (cursor !== undefined && !clientId().safeParse(cursor).success)
    throw new RpcError(rpcCodes.invalid_params, "params.cursor: no cursor of this list");
  const page = { limit: pageSize, after: cursor, order: "asc" } as const;
  const { data, has_more, last_id } = await listAgents(db, owner, { status: "active", with_config: true }, page);
  return { tools: data.map(toTool), ...(has_more && last_id !== null ? { nextCursor: last_id } : {}) };
}

function toTool({ id, name, metadata, config }: AgentListItem): Tool {
  const { description } = metadata;
  return {
    name: toolName(id),
    title: name,
    description: typeof description === "string" ? description : `Runs the agent '${name}'.`,
    // An agent's input is always an object, whether its schema says so or not.
    inputSchema: { ...readConfig(config).input_schema, type: "object" },
  };
}

/**
 * Some clients take no names with other characters than these. Of an agent's id, `:` and `@` are written as `_x3A_`, `_x40_`, and
 * the `_` of what looks like that as `_x5F_`.
 */
export const toolName = (id: string): string =>
  id.replaceAll(
    /[^A-Za-z0-9_.-]|_(?=x[0-9A-F]{2}[^A-Za-z0-9.-])/g,
    (sign) => `_x${sign.charCodeAt(0).toString(16).toUpperCase()}_`,
  );

export const agentOf = (tool: string): string =>
  tool.replaceAll(/_x([0-9A-F]{2})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
