import type { ApiContext } from "../../context.ts";
import type { Answer } from "../rpc-response.ts";
import type { RpcId } from "../rpc-id.ts";
import type { McpRequest } from "./mcp-request.ts";

export type Tool = { name: string; title: string; description: string; inputSchema: object; annotations?: object };
export type ToolPage = { tools: Tool[]; nextCursor?: string };

export type ToolCall = {
  id: RpcId;
  name: string;
  args: Record<string, unknown>;
  /** Null: the client wants no progress. */
  progress_token: RpcId | null;
  meta: Record<string, unknown>;
};

/** What an endpoint of MCP offers. */
export type ToolSet = {
  path: string;
  name: string;
  instructions: string;
  list(ctx: ApiContext, request: McpRequest, cursor: string | undefined): Promise<ToolPage>;
  /** Throws what becomes an answer with `isError`. */
  call(ctx: ApiContext, request: McpRequest, call: ToolCall): Promise<Answer>;
  /** Goes on with the stream of a call. Null: no call of this endpoint streams. */
  resume: ((ctx: ApiContext, request: McpRequest, lastEventId: string) => Promise<Answer>) | null;
  cancel(ctx: ApiContext, request: McpRequest, id: RpcId): Promise<void>;
  /** `result` null: the client could not ask its user. */
  answer(ctx: ApiContext, request: McpRequest, id: RpcId, result: unknown): Promise<void>;
};
