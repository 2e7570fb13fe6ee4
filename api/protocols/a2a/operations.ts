import { z } from "zod";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { covers } from "../../../shared/schemas/scope.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import { readAgent } from "../../../shared/store/agents/list-agents.ts";
import type { ApiContext } from "../../context.ts";
import { requireScope } from "../../http/authorize.ts";
import { defineOperation, type Operation } from "../../http/define-operation.ts";
import { awayOf } from "../../stream/resume-elsewhere.ts";
import { writeSse } from "../../stream/write-sse.ts";
import { baseUrlOf, baseHeaders } from "../base-url.ts";
import { failureAnswer, jsonAnswer, type Answer, type TextResult } from "../rpc-response.ts";
import { readRpc } from "../read-rpc.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import type { RpcId } from "../rpc-id.ts";
import { agentCard } from "./agent-card.ts";
import { callMethod } from "./call-method.ts";
import { errorInfo, noErrorInfo } from "./errors.ts";
import { isLegacy, readVersion } from "./version.ts";

const params = z.object({ agent_id: text({ max: 512 }) });
const headers = z.object({ ...baseHeaders, "a2a-version": z.string().optional() });

const getAgentCard = defineOperation({
  method: "get",
  path: "/a2a/{agent_id}/.well-known/agent-card.json",
  name: "a2a_agent_card",
  ignores: "unknown_input",
  area: "A2A",
  scope: "any",
  summary: "An agent's card",
  request: { params, headers },
  responses: { 200: { description: "The card" } },
  async handle(ctx: Pick<ApiContext, "db" | "config">, { params: { agent_id }, headers: sent, caller }) {
    // A key that may run the agent may read its card, which has neither code nor config.
    if (!covers(caller.scopes, "agents:read")) requireScope(caller, "runs:write");
    const agent = await readAgent(ctx.db, agent_id, caller.owner);
    if (!agent) throw notFound("agent", agent_id);
    const needsKey = ctx.config.auth.mode === "key";
    const version = isLegacy(sent["a2a-version"]) ? "0.3" : "1.0";
    return jsonAnswer(200, agentCard({ agent, version, base: baseUrlOf(sent), needsKey }), { Vary: "A2A-Version" });
  },
});

/** Clients of 0.3 read an error of these methods in a stream only. */
const legacyStreams = new Set(["message/stream", "tasks/resubscribe"]);

const asStream = (ctx: ApiContext, { text: body }: TextResult): Answer => ({
  respond: (_req, res) => writeSse(res, once(`data: ${String(body)}\n\n`), awayOf(ctx)),
});

async function* once(message: string): AsyncGenerator<string> {
  yield message;
}

const callAgent = defineOperation({
  method: "post",
  path: "/a2a/{agent_id}",
  name: "a2a_call",
  ignores: "unknown_input",
  audit: { none: "The run is the record: its timeline names who started, answered or cancelled it." },
  area: "A2A",
  scope: "any",
  summary: "JSON-RPC of both versions",
  request: { params, headers, body: z.unknown() },
  responses: { 200: { description: "The answer, or the stream" } },
  async handle(ctx: ApiContext, input) {
    const { agent_id } = input.params;
    const asked = input.headers["a2a-version"];
    const data = isLegacy(asked) ? noErrorInfo : errorInfo;
    let id: RpcId | null = null;
    let isLegacyStream = false;
    try {
      const message = readRpc(input.body);
      if (message.kind !== "request")
        throw new RpcError(rpcCodes.invalid_request, "The body is no request. A request has a method and an id.");
      id = message.id;
      isLegacyStream = legacyStreams.has(message.method);
      const place = { agent_id, owner: input.caller.owner, base: baseUrlOf(input.headers) };
      return await callMethod(ctx, { ...input, ...place, ...message, id, version: readVersion(asked) });
    } catch (error) {
      const failure = failureAnswer(id, error, data);
      return failure.status === 200 && isLegacyStream ? asStream(ctx, failure) : failure;
    }
  },
});

export const a2aOperations: readonly Operation<ApiContext>[] = [getAgentCard, callAgent];
