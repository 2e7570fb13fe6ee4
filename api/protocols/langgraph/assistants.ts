import { z } from "zod";
import { conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { readConfig } from "../../../shared/schemas/agent-config.ts";
import { choice, jsonObject, laxBool, laxInt, text } from "../../../shared/schemas/primitives.ts";
import { setCurrentVersion } from "../../../shared/services/versions/set-current-version.ts";
import { deleteAgent, patchAgent } from "../../../shared/store/agents/change-agent.ts";
import { readAgent } from "../../../shared/store/agents/list-agents.ts";
import {
  type AgentSummary,
  listNumberedVersions,
  readAgentSummaries,
  searchAgents,
} from "../../../shared/store/agents/search-agents.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import { countedPage, defineRoute, notHere, notSupported, select } from "./define-route.ts";

type Store = Pick<ApiContext, "db">;

const agentParams = z.object({ agent_id: text({ max: 512 }) });

/** An agent as an assistant. It is its own graph. */
function toAssistant({ id, name, metadata, created_at, updated_at, version }: AgentSummary) {
  const { description } = metadata;
  return {
    assistant_id: id,
    graph_id: id,
    version,
    config: {},
    context: {},
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    metadata,
    name,
    description: typeof description === "string" ? description : null,
  };
}

async function getAssistant(db: Db, id: string, owner: Owner) {
  const [agent] = await readAgentSummaries(db, [id], owner);
  if (!agent) throw notFound("agent", id);
  return toAssistant(agent);
}

const filter = {
  graph_id: text({ max: 512 }).nullish(),
  name: text({ max: 256 }).nullish(),
  metadata: jsonObject().nullish(),
};

const sorts = ["assistant_id", "graph_id", "name", "created_at", "updated_at"] as const;
const columnOf = {
  assistant_id: "id",
  graph_id: "id",
  name: "name",
  created_at: "created_at",
  updated_at: "updated_at",
} as const;

type Filter = {
  graph_id?: string | null | undefined;
  name?: string | null | undefined;
  metadata?: Record<string, unknown> | null | undefined;
};
const searchOf = ({ graph_id, name, metadata }: Filter) => ({
  id: graph_id ?? undefined,
  name: name || undefined,
  metadata: metadata ?? undefined,
});

const search = defineRoute({
  method: "post",
  path: "/assistants/search",
  name: "search_assistants",
  scope: "agents:read",
  request: {
    body: z
      .object({
        ...filter,
        ...countedPage,
        sort_by: choice(sorts).nullish(),
        sort_order: choice(["asc", "desc"]).nullish(),
        select: z.array(z.string()).max(100).nullish(),
      })
      .prefault({}),
  },
  async handle({ db }: Store, { body, caller }) {
    const { limit, offset, sort_by, sort_order } = body;
    const order = { sort_by: columnOf[sort_by ?? "created_at"], descending: sort_order !== "asc", limit, offset };
    const { ids, total } = await searchAgents(db, caller.owner, searchOf(body), order);
    const agents = await readAgentSummaries(db, ids, caller.owner);
    const next = offset + limit < total ? { "X-Pagination-Next": String(offset + limit) } : {};
    return {
      status: 200,
      body: agents.map((agent) => select(toAssistant(agent), body.select)),
      headers: { "X-Pagination-Total": String(total), ...next },
    };
  },
});

const count = defineRoute({
  method: "post",
  path: "/assistants/count",
  name: "count_assistants",
  scope: "agents:read",
  request: { body: z.object(filter).prefault({}) },
  async handle({ db }: Store, { body, caller }) {
    const order = { sort_by: "created_at", descending: true, limit: 1, offset: 0 } as const;
    return { status: 200, body: (await searchAgents(db, caller.owner, searchOf(body), order)).total };
  },
});

const get = defineRoute({
  method: "get",
  path: "/assistants/{agent_id}",
  name: "get_assistant",
  scope: "agents:read",
  request: { params: agentParams },
  handle: async ({ db }: Store, { params, caller }) => ({
    status: 200,
    body: await getAssistant(db, params.agent_id, caller.owner),
  }),
});

const getGraph = defineRoute({
  method: "get",
  path: "/assistants/{agent_id}/graph",
  name: "get_assistant_graph",
  scope: "agents:read",
  request: { params: agentParams },
  async handle({ db }: Store, { params: { agent_id }, caller }) {
    const { input, output } = await readSchemas(db, agent_id, caller.owner);
    const node = { id: agent_id, type: "runnable", data: { id: ["runfleet", "Agent"], name: agent_id }, metadata: {} };
    const nodes = [
      { id: "__start__", type: "schema", data: input },
      node,
      { id: "__end__", type: "schema", data: output },
    ];
    const edges = [
      { source: "__start__", target: agent_id },
      { source: agent_id, target: "__end__" },
    ];
    return { status: 200, body: { nodes: nodes.map((one) => ({ ...one, data: one.data ?? {} })), edges } };
  },
});

/** The schemas that an agent's config declares. Null: it declares none. */
async function readSchemas(db: Db, id: string, owner: Owner) {
  const agent = await readAgent(db, id, owner);
  if (!agent) throw notFound("agent", id);
  const { input_schema, output_schema } = readConfig(agent.config);
  return { input: input_schema ?? null, output: output_schema ?? null };
}

const getSchemas = defineRoute({
  method: "get",
  path: "/assistants/{agent_id}/schemas",
  name: "get_assistant_schemas",
  scope: "agents:read",
  request: { params: agentParams },
  async handle({ db }: Store, { params: { agent_id }, caller }) {
    const { input, output } = await readSchemas(db, agent_id, caller.owner);
    const schemas = { input_schema: input, output_schema: output, state_schema: output };
    return { status: 200, body: { graph_id: agent_id, ...schemas, config_schema: null, context_schema: null } };
  },
});

const getSubgraphs = (path: string) =>
  defineRoute({
    method: "get",
    path,
    name: "get_assistant_subgraphs",
    scope: "agents:read",
    request: { params: agentParams },
    async handle({ db }: Store, { params: { agent_id }, caller }) {
      await getAssistant(db, agent_id, caller.owner);
      return { status: 200, body: {} };
    },
  });

const create = defineRoute({
  method: "post",
  path: "/assistants",
  name: "create_assistant",
  scope: "agents:write",
  request: { body: z.looseObject({}) },
  handle: () =>
    Promise.reject(
      notHere(
        "An assistant is an agent here, and a graph has no others. Publish the agent with POST /v1/agents, or another version of it with POST /v1/versions/{agent_id}.",
      ),
    ),
});

const update = defineRoute({
  method: "patch",
  path: "/assistants/{agent_id}",
  name: "update_assistant",
  scope: "agents:write",
  audit: "agent",
  request: {
    params: agentParams,
    body: z.object({
      graph_id: z.unknown().optional(),
      config: z.unknown().optional(),
      context: z.unknown().optional(),
      name: text({ min: 1, max: 256 }).nullish(),
      description: text({ max: 4096 }).nullish(),
      metadata: jsonObject().nullish(),
    }),
  },
  async handle({ db }: Store, { params: { agent_id }, body, caller }) {
    for (const field of ["graph_id", "config", "context"] as const)
      if (body[field] != null)
        throw notSupported(
          field,
          "An agent's code and config belong to a version. Publish one with POST /v1/versions/{agent_id}.",
        );
    const description = body.description == null ? {} : { description: body.description };
    const patch = { name: body.name ?? undefined, metadata: { ...body.metadata, ...description } };
    if (!(await patchAgent(db, agent_id, caller.owner, patch))) throw notFound("agent", agent_id);
    return { status: 200, body: await getAssistant(db, agent_id, caller.owner) };
  },
});

const remove = defineRoute({
  method: "delete",
  path: "/assistants/{agent_id}",
  name: "delete_assistant",
  scope: "agents:write",
  audit: "agent",
  request: { params: agentParams, query: z.object({ delete_threads: laxBool().default(false) }) },
  async handle({ db }: Store, { params: { agent_id }, query, caller }) {
    if (query.delete_threads)
      throw notSupported("delete_threads", "Threads are not deleted with an agent. Delete them one by one.");
    const done = await deleteAgent(db, agent_id, caller.owner);
    if (done === "missing") throw notFound("agent", agent_id);
    if (done === "in_use")
      throw conflict("agent_in_use", "A run of the agent has not ended, or its daemon has not stopped.");
    return { status: 200, body: [agent_id] };
  },
});

const getVersions = defineRoute({
  method: "post",
  path: "/assistants/{agent_id}/versions",
  name: "list_assistant_versions",
  scope: "agents:read",
  request: { params: agentParams, body: z.object(countedPage).prefault({}) },
  async handle({ db }: Store, { params: { agent_id }, body: { limit, offset }, caller }) {
    const { updated_at: _, ...assistant } = await getAssistant(db, agent_id, caller.owner);
    const versions = await listNumberedVersions(db, { agent_id, number: null, limit, offset });
    const body = versions.map(({ version, number, created_at }) => ({
      ...assistant,
      version: number,
      created_at: created_at.toISOString(),
      metadata: { ...assistant.metadata, version },
    }));
    return { status: 200, body };
  },
});

const setLatest = defineRoute({
  method: "post",
  path: "/assistants/{agent_id}/latest",
  name: "set_latest_assistant_version",
  scope: "agents:write",
  audit: "agent",
  request: { params: agentParams, body: z.object({ version: laxInt({ ge: 1, le: 1_000_000_000 }) }) },
  async handle(ctx: Pick<ApiContext, "db" | "streams">, { params: { agent_id }, body, caller }) {
    await getAssistant(ctx.db, agent_id, caller.owner);
    const named = { agent_id, number: body.version, limit: 1, offset: 0 };
    const [found] = await listNumberedVersions(ctx.db, named);
    if (!found) throw notFound("version", String(body.version));
    await setCurrentVersion(ctx, { agent_id, version: found.version, publish: false }, caller.owner);
    return { status: 200, body: await getAssistant(ctx.db, agent_id, caller.owner) };
  },
});

/** Assistants are agents. */
export const assistantRoutes: readonly Operation<ApiContext>[] = [
  search,
  count,
  create,
  get,
  update,
  remove,
  getGraph,
  getSchemas,
  getSubgraphs("/assistants/{agent_id}/subgraphs"),
  getSubgraphs("/assistants/{agent_id}/subgraphs/{namespace}"),
  getVersions,
  setLatest,
];
