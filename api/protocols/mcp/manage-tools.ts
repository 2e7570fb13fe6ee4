import { z } from "zod";
import { covers } from "../../../shared/schemas/scope.ts";
import { AppError } from "../../../shared/domain/errors/app-error.ts";
import type { ApiContext } from "../../context.ts";
import { requireScope } from "../../http/authorize.ts";
import type { Operation } from "../../http/define-operation.ts";
import { parseRequest } from "../../http/parse-request.ts";
import { perform } from "../../http/perform.ts";
import { jsonAnswer, resultOf } from "../rpc-response.ts";
import type { McpRequest } from "./mcp-request.ts";
import type { Tool, ToolCall, ToolSet } from "./tool-set.ts";

/** The areas whose operations are tools, and single operations of others: what deploys an agent and finds its faults. */
const areas = new Set(["Execute", "Runs", "Agents", "Versions", "Threads"]);
const others = new Set(["get_me", "get_agent_errors"]);

/** How long a tool waits for a run. Clients give a call 60 s by default. */
const prefer = "wait=50";

type ManageTool = {
  operation: Operation<ApiContext>;
  tool: Tool;
  /** Where each argument belongs. */
  places: { params: readonly string[]; query: readonly string[]; nested: boolean };
};

/** Returns the service itself as tools, made of its operations. A caller sees those that its key may use. */
export function manageTools(operations: readonly Operation<ApiContext>[]): ToolSet {
  // Their JSON schemas are made when a client asks: a start takes less time.
  let made: Map<string, ManageTool> | null = null;
  const makeTools = () =>
    (made ??= new Map(operations.filter(isTool).map((operation) => [operation.name, toTool(operation)])));
  return {
    path: "/mcp/manage",
    name: "mcp_manage",
    instructions:
      "Deploys and debugs agents. create_agent publishes an agent, execute_agent runs it and waits up to 50 seconds, get_run, list_run_logs and list_run_events show what happened, replay_run runs it again.",
    async list(_ctx, { caller: { scopes } }) {
      const allowed = [...makeTools().values()].filter(
        ({ operation: { scope } }) => scope === "any" || (scope !== "public" && covers(scopes, scope)),
      );
      return { tools: allowed.map(({ tool }) => tool) };
    },
    async call(ctx, request, call) {
      const known = makeTools().get(call.name);
      if (!known) throw new AppError("not_found", "not_found", `Tool ${call.name} not found`);
      return callOperation(ctx, request, call, known);
    },
    resume: null,
    cancel: () => Promise.resolve(),
    answer: () => Promise.resolve(),
  };
}

/** An operation that answers with JSON, or with nothing. */
function isTool({ area, name, scope, rawBody, responses }: Operation<ApiContext>): boolean {
  const isJson = Object.values(responses).every(({ content_type }) => content_type === undefined);
  return isJson && !rawBody && scope !== "public" && (areas.has(area) || others.has(name));
}

function toTool(operation: Operation<ApiContext>): ManageTool {
  const { name, method, summary, description, request } = operation;
  const params = request.params?.shape ?? {};
  const query = request.query?.shape ?? {};
  const fields = request.body === undefined ? {} : fieldsOf(request.body);
  const taken = new Set([...Object.keys(params), ...Object.keys(query)]);
  const nested = fields === null || Object.keys(fields).some((field) => taken.has(field));
  const body = nested && request.body ? { body: request.body } : (fields ?? {});
  const { $schema: _, ...inputSchema } = z.toJSONSchema(z.object({ ...params, ...query, ...body }), {
    io: "input",
    unrepresentable: "any",
  });
  const tool = {
    name,
    title: summary,
    description: description === undefined ? summary : `${summary}. ${description}`,
    inputSchema,
    annotations: { readOnlyHint: method === "get", destructiveHint: method === "delete" },
  };
  return { operation, tool, places: { params: Object.keys(params), query: Object.keys(query), nested } };
}

/** Returns the fields of a body that is an object; null for any other. */
function fieldsOf(body: z.core.$ZodType): z.core.$ZodShape | null {
  if (body instanceof z.ZodObject) return body.shape;
  if (body instanceof z.ZodDefault || body instanceof z.ZodOptional) return fieldsOf(body.def.innerType);
  return null;
}

async function callOperation(ctx: ApiContext, request: McpRequest, call: ToolCall, known: ManageTool) {
  const { operation, places } = known;
  const { scope } = operation;
  if (scope !== "any" && scope !== "public") requireScope(request.caller, scope);
  const { params, query, nested } = places;
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (Object.hasOwn(call.args, name) ? [[name, call.args[name]]] : [])));
  const rest = Object.entries(call.args).filter(([name]) => !params.includes(name) && !query.includes(name));
  const body = nested ? call.args["body"] : Object.fromEntries(rest);
  const parts = parseRequest(operation, {
    params: pick(params),
    query: pick(query),
    headers: { prefer },
    body: operation.request.body ? body : undefined,
  });
  const result = await perform(ctx.guards, ctx, operation, { ...request, ...parts });
  if ("respond" in result || "text" in result) throw new Error(`The tool ${operation.name} has no JSON answer.`);
  const answer = result.body ?? { status: result.status };
  const content = [{ type: "text", text: JSON.stringify(answer) }];
  const isObject = typeof answer === "object" && !Array.isArray(answer);
  return jsonAnswer(200, resultOf(call.id, { content, ...(isObject ? { structuredContent: answer } : {}) }));
}
