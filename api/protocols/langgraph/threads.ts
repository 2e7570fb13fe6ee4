import { z } from "zod";
import { conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../../shared/domain/errors/user-has-most.ts";
import { requestLimits } from "../../../shared/domain/run/request-limits.ts";
import { newId } from "../../../shared/platform/ids.ts";
import { choice, clientId, jsonObject, metadataObject, text } from "../../../shared/schemas/primitives.ts";
import { readAgent } from "../../../shared/store/agents/list-agents.ts";
import { deleteThread, patchThread } from "../../../shared/store/threads/change-thread.ts";
import { createThread } from "../../../shared/store/threads/create-thread.ts";
import { forkThread } from "../../../shared/store/threads/fork-thread.ts";
import { searchThreads, threadSorts } from "../../../shared/store/threads/search-threads.ts";
import { readThread, readThreads } from "../../../shared/store/threads/thread-record.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { ApiContext } from "../../context.ts";
import type { Caller } from "../../http/caller.ts";
import { countCopy } from "../../http/count-copy.ts";
import type { Operation } from "../../http/define-operation.ts";
import { countedPage, defineRoute, notSupported, select } from "./define-route.ts";
import { toThread } from "./show-thread.ts";
import { viewThread, viewThreads } from "./thread-view.ts";
import { stateText } from "./saved-state.ts";

type Store = Pick<ApiContext, "db">;

export const threadParams = z.object({ thread_id: text({ max: 512 }) });

const ttl = z.unknown().optional();

/** Throws ValidationFault when a request asks for a time after which its thread ends. */
function refuseTtl(given: unknown): void {
  if (given != null)
    throw notSupported("ttl", "Threads have no time to live. Delete the thread when it is no longer needed.");
}

const superstep = z.looseObject({
  updates: z.array(z.looseObject({ values: z.unknown().optional(), command: z.unknown().optional() })).max(1000),
});

/** Returns the state that a new thread begins with, as it is saved. Null: none. */
function stateOf(supersteps: readonly z.output<typeof superstep>[] | null | undefined): string | null {
  const updates = (supersteps ?? []).flatMap((step) => step.updates);
  if (updates.length === 0) return null;
  if (updates.some(({ command }) => command != null))
    throw notSupported(
      "supersteps",
      "An update can set values. It can't have a command, because an agent has no nodes.",
    );
  const state: Record<string, unknown> = {};
  for (const { values } of updates) Object.assign(state, Object(values));
  const text = stateText(state, null);
  if (Buffer.byteLength(text) > requestLimits.state_bytes)
    throw notSupported("supersteps", `The state would be larger than ${requestLimits.state_bytes} bytes.`);
  return text;
}

/** Returns the agent that a thread's `graph_id` names, if there is one, and the thread's owner. */
async function graphOf(db: Db, named: unknown, { owner, user_id }: Caller) {
  const { data: id } = clientId().safeParse(named);
  const agent = id === undefined ? null : await readAgent(db, id, owner);
  return { agent_id: agent?.id ?? null, user_id: agent && owner === null ? agent.user_id : user_id };
}

const create = defineRoute({
  method: "post",
  path: "/threads",
  name: "create_thread",
  scope: "threads:write",
  audit: "thread",
  request: {
    body: z
      .object({
        thread_id: clientId().nullish(),
        metadata: metadataObject().nullish(),
        if_exists: choice(["raise", "do_nothing"]).nullish(),
        supersteps: z.array(superstep).max(1000).nullish(),
        ttl,
      })
      .prefault({}),
  },
  async handle({ db, config }: Pick<ApiContext, "db" | "config">, { body, caller }) {
    refuseTtl(body.ttl);
    const { metadata } = body;
    const id = body.thread_id ?? newId("thread");
    const { user_id, agent_id } = await graphOf(db, metadata?.["graph_id"], caller);
    const state_snapshot = stateOf(body.supersteps);
    const fresh = { id, user_id, agent_id, title: null, tags: [], metadata: metadata ?? {}, state_snapshot };
    const done = await createThread(db, fresh, config.perUser.threads);
    if (done === "full") throw conflict("too_many_threads", userHasMost("threads", config.perUser, user_id));
    const isShown = done === "made" || body.if_exists === "do_nothing";
    if (!isShown || !(await readThread(db, id, caller.owner)))
      throw conflict("thread_exists", `The thread id '${id}' is in use. Choose another id.`);
    return { status: 200, body: toThread(await viewThread(db, id, caller.owner)) };
  },
});

const get = defineRoute({
  method: "get",
  path: "/threads/{thread_id}",
  name: "get_thread",
  scope: "threads:read",
  request: { params: threadParams },
  handle: async ({ db }: Store, { params, caller }) => ({
    status: 200,
    body: toThread(await viewThread(db, params.thread_id, caller.owner)),
  }),
});

const update = defineRoute({
  method: "patch",
  path: "/threads/{thread_id}",
  name: "update_thread",
  scope: "threads:write",
  audit: "thread",
  request: { params: threadParams, body: z.object({ metadata: metadataObject().nullish(), ttl }) },
  async handle({ db }: Store, { params: { thread_id }, body, caller }) {
    refuseTtl(body.ttl);
    const done = await patchThread(db, thread_id, caller.owner, { metadata: body.metadata ?? undefined });
    if (!done) throw notFound("thread", thread_id);
    return { status: 200, body: toThread(await viewThread(db, thread_id, caller.owner)) };
  },
});

const remove = defineRoute({
  method: "delete",
  path: "/threads/{thread_id}",
  name: "delete_thread",
  scope: "threads:write",
  audit: "thread",
  request: { params: threadParams },
  async handle({ db }: Store, { params: { thread_id }, caller }) {
    const done = await deleteThread(db, thread_id, caller.owner);
    if (done === "missing") throw notFound("thread", thread_id);
    if (done === "busy") throw conflict("thread_busy", "A run of the thread has not ended. Cancel it or wait.");
    return { status: 204 };
  },
});

const copy = defineRoute({
  method: "post",
  path: "/threads/{thread_id}/copy",
  name: "copy_thread",
  scope: "threads:write",
  audit: "thread",
  request: { params: threadParams },
  async handle(
    { db, config, guards }: Pick<ApiContext, "db" | "config" | "guards">,
    { params: { thread_id: from }, caller, ip },
  ) {
    const id = newId("thread");
    const whole = { from, id, run_id: null, title: null, metadata: null };
    const done = await forkThread(db, caller.owner, whole, {
      most: config.perUser.threads,
      count: (bytes) => countCopy(guards, caller, { ip }, bytes),
    });
    if (done === "full") throw conflict("too_many_threads", userHasMost("threads", config.perUser, null));
    if (done !== "forked") throw notFound("thread", from);
    return { status: 200, body: toThread(await viewThread(db, id, caller.owner)) };
  },
});

const filter = {
  ids: z
    .array(text({ max: 512 }))
    .max(1000)
    .nullish(),
  metadata: jsonObject().nullish(),
  status: choice(["idle", "busy", "interrupted", "error"]).nullish(),
  values: jsonObject().nullish(),
};

type Filter = z.output<z.ZodObject<typeof filter>>;

function searchOf({ ids, metadata, status, values }: Filter) {
  if (values && Object.keys(values).length > 0)
    throw notSupported("values", "Threads can't be found by their values. Put what you search for into the metadata.");
  return { ids: ids ?? undefined, metadata: metadata ?? undefined, status: status ?? undefined };
}

const search = defineRoute({
  method: "post",
  path: "/threads/search",
  name: "search_threads",
  scope: "threads:read",
  request: {
    body: z
      .object({
        ...filter,
        ...countedPage,
        sort_by: choice([...threadSorts, "state_updated_at"]).nullish(),
        sort_order: choice(["asc", "desc"]).nullish(),
        select: z.array(z.string()).max(100).nullish(),
      })
      .prefault({}),
  },
  async handle({ db }: Store, { body, caller }) {
    const { limit, offset, sort_order } = body;
    const sort_by = body.sort_by === "state_updated_at" ? "updated_at" : (body.sort_by ?? "created_at");
    const order = { sort_by, descending: sort_order !== "asc", limit, offset };
    const { ids, total } = await searchThreads(db, caller.owner, searchOf(body), order);
    const threads = await readThreads(db, ids, caller.owner);
    const views = new Map((await viewThreads(db, threads)).map((view) => [view.thread.id, view]));
    const found = ids.flatMap((id) => views.get(id) ?? []);
    return {
      status: 200,
      body: found.map((view) => select(toThread(view), body.select)),
      headers: { "X-Pagination-Total": String(total) },
    };
  },
});

const count = defineRoute({
  method: "post",
  path: "/threads/count",
  name: "count_threads",
  scope: "threads:read",
  request: { body: z.object(filter).prefault({}) },
  async handle({ db }: Store, { body, caller }) {
    const order = { sort_by: "created_at", descending: true, limit: 1, offset: 0 } as const;
    return { status: 200, body: (await searchThreads(db, caller.owner, searchOf(body), order)).total };
  },
});

export const threadRoutes: readonly Operation<ApiContext>[] = [create, search, count, get, update, remove, copy];
