import type { ApiContext } from "../../context.ts";
import { requireScope } from "../../http/authorize.ts";
import type { Operation } from "../../http/define-operation.ts";
import type { Protocol } from "../../http/protocol.ts";
import { errorBody, rpcErrorOf } from "../rpc-error.ts";
import { listAgentTools } from "./agent-tools.ts";
import { answerQuestion, callAgent, cancelCall, resumeCall } from "./call-agent.ts";
import { manageTools } from "./manage-tools.ts";
import { noErrorData, serveTools } from "./serve-tools.ts";
import type { ToolSet } from "./tool-set.ts";

/** Each agent of the caller as a tool. */
const agents: ToolSet = {
  path: "/mcp",
  name: "mcp",
  instructions: "Each tool is an agent. A call runs it and ends with its result.",
  async list(ctx, { caller }, cursor) {
    requireScope(caller, "agents:read");
    return listAgentTools(ctx.db, caller.owner, cursor);
  },
  async call(ctx, request, call) {
    requireScope(request.caller, "runs:write");
    return callAgent(ctx, request, call);
  },
  async resume(ctx, request, lastEventId) {
    requireScope(request.caller, "runs:read");
    return resumeCall(ctx, request, lastEventId);
  },
  async cancel(ctx, request, id) {
    requireScope(request.caller, "runs:write");
    await cancelCall(ctx, request, id);
  },
  async answer(ctx, request, id, result) {
    requireScope(request.caller, "runs:write");
    await answerQuestion(ctx, request, id, result);
  },
};

/** The Model Context Protocol (modelcontextprotocol.io): agents as tools, and the service itself as tools. */
export const mcp = (operations: readonly Operation<ApiContext>[]): Protocol<ApiContext> => ({
  prefix: "/mcp",
  operations: [...serveTools(agents), ...serveTools(manageTools(operations))],
  showError: (refusal) => ({
    status: refusal.faults.length > 0 ? 400 : refusal.status,
    body: errorBody(null, rpcErrorOf(refusal), noErrorData),
  }),
});
