import { z } from "zod";
import { version } from "../../../shared/platform/version.ts";
import { clientId, text } from "../../../shared/schemas/primitives.ts";
import type { ApiContext } from "../../context.ts";
import { AppError } from "../../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { defineOperation, type Operation } from "../../http/define-operation.ts";
import { baseHeaders, baseUrlOf } from "../base-url.ts";
import { type Answer, emptyAnswer, failureAnswer, jsonAnswer, resultOf } from "../rpc-response.ts";
import { readParams, readRpc, type RpcMessage } from "../read-rpc.ts";
import { errorBody, rpcCodes, RpcError } from "../rpc-error.ts";
import type { RpcId } from "../rpc-id.ts";
import type { McpRequest } from "./mcp-request.ts";
import { type McpSession, newSession, readSession } from "./session.ts";
import type { ToolCall, ToolSet } from "./tool-set.ts";
import { toolError } from "./translate-call.ts";

/** https://modelcontextprotocol.io/specification: the newest first. */
const versions = ["2025-11-25", "2025-06-18", "2025-03-26"] as const;

const headers = z.object({
  ...baseHeaders,
  accept: z.string().optional(),
  "content-type": z.string().optional(),
  "mcp-session-id": z.string().optional(),
  "mcp-protocol-version": z.string().optional(),
  "last-event-id": z.string().optional(),
});
type Headers = z.infer<typeof headers>;

export const noErrorData = (): object => ({});
const refuse = (status: number, code: number, message: string, more: Record<string, string> = {}): Answer =>
  jsonAnswer(status, errorBody(null, new RpcError(code, message), noErrorData), more);

/** Returns the operations of one endpoint of MCP (Streamable HTTP). No process remembers a session or a call. */
export function serveTools(tools: ToolSet): readonly Operation<ApiContext>[] {
  const { path, name } = tools;
  const common = {
    path,
    area: "MCP",
    scope: "any",
    ignores: "unknown_input",
    responses: { 200: { description: "The answer" } },
  } as const;
  const post = defineOperation({
    ...common,
    method: "post",
    name: `${name}_post`,
    audit: {
      none: "A run's timeline names who started, answered or cancelled it; the operations record their own use.",
    },
    summary: "A message of the client",
    request: { headers, body: z.unknown() },
    async handle(ctx: ApiContext, input) {
      const fault = faultOfHeaders(input.headers);
      if (fault) return fault;
      let message: RpcMessage;
      try {
        message = readRpc(input.body);
      } catch (error) {
        if (error instanceof RpcError) return refuse(400, error.code, error.message);
        throw error;
      }
      if (message.kind === "request" && message.method === "initialize")
        return initialize(tools, message.id, message.params);
      const session = sessionOf(input.headers);
      if ("refused" in session) return session.refused;
      const request: McpRequest = { ...input, session, base: baseUrlOf(input.headers) };
      return await answerMessage(ctx, tools, request, message);
    },
  });
  const get = defineOperation({
    ...common,
    method: "get",
    name: `${name}_get`,
    summary: "The rest of a call's stream",
    request: { headers },
    async handle(ctx: ApiContext, input) {
      const lastEventId = input.headers["last-event-id"];
      // The service has nothing to say of its own accord: a stream without a call is not offered.
      if (lastEventId === undefined || tools.resume === null)
        return refuse(405, rpcCodes.refused, "Method Not Allowed", { Allow: "DELETE, POST" });
      const session = sessionOf(input.headers);
      if ("refused" in session) return session.refused;
      try {
        return await tools.resume(ctx, { ...input, session, base: baseUrlOf(input.headers) }, lastEventId);
      } catch (error) {
        if (error instanceof RpcError) return refuse(400, error.code, error.message);
        return failureAnswer(null, error, noErrorData);
      }
    },
  });
  const end = defineOperation({
    ...common,
    method: "delete",
    name: `${name}_delete`,
    audit: { none: "There is nothing to forget." },
    summary: "The end of a session",
    request: { headers },
    async handle(_ctx: ApiContext, input) {
      const session = sessionOf(input.headers);
      // There is nothing to forget.
      return "refused" in session ? session.refused : emptyAnswer(200);
    },
  });
  return [post, get, end];
}

/** Returns why a request's headers are refused. Null: they are not. */
function faultOfHeaders({ accept = "", "content-type": type = "" }: Headers): Answer | null {
  const takes = (media: string): boolean => accept.includes(media) || accept.includes("*/*");
  if (!takes("application/json") || !takes("text/event-stream"))
    return refuse(
      406,
      rpcCodes.refused,
      "Not Acceptable: Client must accept both application/json and text/event-stream",
    );
  if (!/^application\/json\s*(;|$)/i.test(type.trim()))
    return refuse(415, rpcCodes.refused, "Unsupported Media Type: Content-Type must be application/json");
  return null;
}

function sessionOf(sent: Headers): McpSession | { refused: Answer } {
  const id = sent["mcp-session-id"];
  if (id === undefined)
    return {
      refused: refuse(400, rpcCodes.refused, "Bad Request: Mcp-Session-Id header is required. Send initialize first."),
    };
  const session = readSession(id);
  if (!session) return { refused: refuse(404, -32001, "Session not found. Send initialize again.") };
  const asked = sent["mcp-protocol-version"];
  if (asked !== undefined && !versions.some((known) => known === asked))
    return {
      refused: refuse(
        400,
        rpcCodes.refused,
        `Bad Request: Unsupported protocol version: ${asked.slice(0, 32)} (supported versions: ${versions.join(", ")})`,
      ),
    };
  return session;
}

const initializeParams = z.object({
  protocolVersion: text({ max: 64 }),
  capabilities: z.object({ elicitation: z.record(z.string(), z.unknown()).nullish() }).nullish(),
});

function initialize(tools: ToolSet, id: RpcId, params: unknown): Answer {
  try {
    const { protocolVersion: asked, capabilities } = readParams(initializeParams, params);
    const elicitation = capabilities?.elicitation;
    // `{}` stands for forms, too: other modes came later.
    const canAsk = elicitation != null && ("form" in elicitation || Object.keys(elicitation).length === 0);
    const result = {
      protocolVersion: versions.find((known) => known === asked) ?? versions[0],
      capabilities: { tools: {} },
      serverInfo: { name: "runfleet", version },
      instructions: tools.instructions,
    };
    return jsonAnswer(200, resultOf(id, result), { "Mcp-Session-Id": newSession(canAsk).id });
  } catch (error) {
    return failureAnswer(id, error, noErrorData);
  }
}

const accepted = emptyAnswer(202);
const cancelledParams = z.object({ requestId: z.union([z.string(), z.number()]) });

async function answerMessage(
  ctx: ApiContext,
  tools: ToolSet,
  request: McpRequest,
  message: RpcMessage,
): Promise<Answer> {
  if (message.kind === "request") return answerRequest(ctx, tools, request, message);
  try {
    if (message.kind === "answer") await tools.answer(ctx, request, message.id, message.result);
    else if (message.kind === "failure") await tools.answer(ctx, request, message.id, null);
    else if (message.method === "notifications/cancelled")
      await tools.cancel(ctx, request, readParams(cancelledParams, message.params).requestId);
    return accepted;
  } catch (error) {
    if (error instanceof RpcError) return refuse(400, error.code, error.message);
    if (error instanceof ValidationFault) return refuse(400, rpcCodes.invalid_params, error.message);
    return failureAnswer(null, error, noErrorData);
  }
}

const listParams = z.object({ cursor: clientId().optional() });
const callParams = z.object({
  name: text({ min: 1, max: 1024 }),
  arguments: z.record(z.string(), z.unknown()).default({}),
  _meta: z.looseObject({ progressToken: z.union([text({ max: 256 }), z.number()]).optional() }).default({}),
});

async function answerRequest(
  ctx: ApiContext,
  tools: ToolSet,
  request: McpRequest,
  { id, method, params }: RpcMessage & { kind: "request" },
): Promise<Answer> {
  try {
    if (method === "ping") return jsonAnswer(200, resultOf(id, {}));
    if (method === "tools/list") {
      const { cursor } = readParams(listParams, params);
      return jsonAnswer(200, resultOf(id, await tools.list(ctx, request, cursor)));
    }
    if (method === "tools/call") {
      const { name, arguments: args, _meta: meta } = readParams(callParams, params);
      return await callTool(ctx, tools, request, { id, name, args, progress_token: meta.progressToken ?? null, meta });
    }
    throw new RpcError(rpcCodes.method_not_found, `Method not found: ${method}. This server has tools only.`);
  } catch (error) {
    return failureAnswer(id, error, noErrorData);
  }
}

/** A tool that is unknown, or that refuses its arguments or the call, is a result: the model that called it is to read why. */
async function callTool(ctx: ApiContext, tools: ToolSet, request: McpRequest, call: ToolCall): Promise<Answer> {
  try {
    return await tools.call(ctx, request, call);
  } catch (error) {
    if (!(error instanceof AppError) && !(error instanceof ValidationFault)) throw error;
    return jsonAnswer(200, resultOf(call.id, toolError(error.message)));
  }
}
