import { z } from "zod";
import { AppError, conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { requestLimits } from "../../../shared/domain/run/request-limits.ts";
import { newId } from "../../../shared/platform/ids.ts";
import type { PastState } from "../../../shared/schemas/thread.ts";
import { jsonObject, laxInt, text } from "../../../shared/schemas/primitives.ts";
import type { Db } from "../../../shared/store/client.ts";
import { readNewestMessages } from "../../../shared/store/threads/read-newest-messages.ts";
import { listPastStates, readPastState } from "../../../shared/store/threads/list-past-states.ts";
import { setThreadState } from "../../../shared/store/threads/thread-state.ts";
import type { ApiContext } from "../../context.ts";
import type { Operation } from "../../http/define-operation.ts";
import { defineRoute, notHere, notSupported } from "./define-route.ts";
import { threadParams } from "./threads.ts";
import { headId, toHeadState, toPastStates } from "./build-state.ts";
import { bytesEach, type ThreadView, viewThread } from "./thread-view.ts";
import { parseState, stateText } from "./saved-state.ts";
import { addAllValues, addValues } from "./values.ts";

type Store = Pick<ApiContext, "db">;

/** Where a thread was: the id of the run that left the state, or of the thread for a state without a run. */
export const checkpoint = z.union([
  text({ max: 512 }),
  z.looseObject({ configurable: z.looseObject({ checkpoint_id: text({ max: 512 }).nullish() }) }),
  z.looseObject({ checkpoint_id: text({ max: 512 }).nullish() }),
]);

/** Returns the id that a checkpoint names. Null: it names none, which means the newest. */
export function checkpointId(given: z.output<typeof checkpoint> | null | undefined): string | null {
  if (given == null) return null;
  if (typeof given === "string") return given;
  const { checkpoint_id } = isNested(given) ? given.configurable : given;
  return typeof checkpoint_id === "string" ? checkpoint_id : null;
}

const isNested = (given: object): given is { configurable: { checkpoint_id?: string | null } } =>
  "configurable" in given;

type Page = { limit: number; after?: string | undefined };

const sinceMade = ({ thread: { id, created_at } }: ThreadView) => ({ id, since: new Date(created_at) });

const pastStates = (db: Db, view: ThreadView, page: Page): Promise<{ data: PastState[] }> =>
  listPastStates(db, sinceMade(view), { ...page, order: "desc" });

/** True when the thread's last run has ended, so that its state is in the history, too. */
const isEnded = ({ head }: ThreadView): boolean => head.completed_at !== null;

/** Returns the newest state of a thread. */
async function readHead(db: Db, view: ThreadView) {
  const { head } = view;
  const after = isEnded(view) && head.run_id !== null ? { after: head.run_id } : {};
  const [before] = (await pastStates(db, view, { limit: 1, ...after })).data;
  return toHeadState(view, before?.id ?? null);
}

async function readState(db: Db, view: ThreadView, id: string | null) {
  if (id === null || id === headId(view)) return readHead(db, view);
  const past = await readPastState(db, sinceMade(view), id);
  if (!past)
    throw new AppError("not_found", "run_not_found", `The thread '${view.thread.id}' has no checkpoint '${id}'.`);
  const before = await pastStates(db, view, { limit: 1, after: id });
  const [state] = toPastStates(view, [past, ...before.data]);
  return state;
}

const get = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/state",
  name: "get_thread_state",
  scope: "threads:read",
  request: { params: threadParams },
  async handle({ db }: Store, { params, caller }) {
    return { status: 200, body: await readHead(db, await viewThread(db, params.thread_id, caller.owner)) };
  },
});

const getAt = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/state/{checkpoint_id}",
  name: "get_thread_state_at",
  scope: "threads:read",
  request: { params: threadParams.extend({ checkpoint_id: text({ max: 512 }) }) },
  async handle({ db }: Store, { params: { thread_id, checkpoint_id }, caller }) {
    return { status: 200, body: await readState(db, await viewThread(db, thread_id, caller.owner), checkpoint_id) };
  },
});

const getAtCheckpoint = defineRoute({
  method: "post",
  path: "/threads/{thread_id}/state/checkpoint",
  name: "get_thread_state_at_checkpoint",
  scope: "threads:read",
  request: { params: threadParams, body: z.object({ checkpoint: checkpoint.nullish() }) },
  async handle({ db }: Store, { params: { thread_id }, body, caller }) {
    const view = await viewThread(db, thread_id, caller.owner);
    return { status: 200, body: await readState(db, view, checkpointId(body.checkpoint)) };
  },
});

/** Throws ValidationFault when a request begins at another state than the newest one. */
export function refusePast(view: ThreadView, id: string | null): void {
  if (id !== null && id !== headId(view))
    throw notSupported(
      "checkpoint",
      "A thread goes on from its newest state only. Copy it up to a run with POST /v1/threads/{thread_id}/fork, and go on there.",
    );
}

const update = defineRoute({
  method: "post",
  path: "/threads/{thread_id}/state",
  name: "update_thread_state",
  scope: "threads:write",
  audit: "thread",
  request: {
    params: threadParams,
    body: z.object({
      values: z.union([jsonObject(), z.array(jsonObject()).max(1000)]).nullish(),
      checkpoint: checkpoint.nullish(),
      checkpoint_id: text({ max: 512 }).nullish(),
    }),
  },
  async handle({ db }: Store, { params: { thread_id }, body, caller }) {
    const view = await viewThread(db, thread_id, caller.owner);
    refusePast(view, body.checkpoint_id ?? checkpointId(body.checkpoint));
    const before = view.head.state_snapshot;
    const isEmpty = before === null || /^\s*(?:null)?$/.test(before);
    const fields = isEmpty ? {} : parseState(before);
    if (fields === null)
      throw notSupported(
        "values",
        "The agent saved a state that is no JSON object, or one of too many levels, so no values can be added to it.",
      );
    const state = addValues({}, fields, "state");
    const updates = [body.values ?? {}].flat();
    const updated = addAllValues(state, updates, () => newId("msg"));
    const snapshot = stateText(updated, before);
    if (Buffer.byteLength(snapshot) > requestLimits.state_bytes)
      throw notSupported("values", `The state would be larger than ${requestLimits.state_bytes} bytes.`);
    const done = await setThreadState(db, thread_id, caller.owner, snapshot);
    if (done === "missing") throw notFound("thread", thread_id);
    if (done === "busy") throw conflict("thread_busy", "A run of the thread is queued or running. Cancel it or wait.");
    const id = headId(view) ?? thread_id;
    return {
      status: 200,
      body: { checkpoint: { thread_id, checkpoint_ns: "", checkpoint_id: id, checkpoint_map: null } },
    };
  },
});

const patch = defineRoute({
  method: "patch",
  path: "/threads/{thread_id}/state",
  name: "patch_thread_state",
  scope: "threads:write",
  request: { params: threadParams },
  handle: () =>
    Promise.reject(notHere("States have no metadata. Change the thread's with PATCH /threads/{thread_id}.")),
});

const historyFields = {
  limit: laxInt({ ge: 1, le: 100 }).default(10),
  before: checkpoint.nullish(),
};

type HistoryRequest = { limit: number; before?: z.output<typeof checkpoint> | null | undefined };

/** Returns states of a thread, the newest first. A run that has not ended comes before those that have. */
async function readHistory(db: Db, view: ThreadView, { limit, before }: HistoryRequest) {
  const after = checkpointId(before);
  const isFromHead = after === null;
  const isOpen = !isEnded(view) && headId(view) !== null;
  const isAfterOpen = isOpen && after === headId(view);
  const page = await pastStates(db, view, {
    // One more, which is the last one's parent.
    limit: limit + 1,
    ...(isFromHead || isAfterOpen ? {} : { after }),
  });
  const small = { ...view, turns: await readNewestMessages(db, [view.thread.id], bytesEach(limit)) };
  const past = toPastStates(small, page.data);
  if (!isFromHead) return past.slice(0, limit);
  if (isOpen) return [toHeadState(small, page.data[0]?.id ?? null), ...past].slice(0, limit);
  const [, ...older] = past;
  return past.length === 0 ? [] : [toHeadState(small, page.data[1]?.id ?? null), ...older].slice(0, limit);
}

const history = defineRoute({
  method: "post",
  path: "/threads/{thread_id}/history",
  name: "list_thread_history",
  scope: "threads:read",
  request: {
    params: threadParams,
    body: z
      .object({ ...historyFields, metadata: jsonObject().nullish(), checkpoint: checkpoint.nullish() })
      .prefault({}),
  },
  async handle({ db }: Store, { params: { thread_id }, body, caller }) {
    const states = await readHistory(db, await viewThread(db, thread_id, caller.owner), body);
    const wanted = Object.entries(body.metadata ?? {});
    const found = states.filter(({ metadata }) =>
      wanted.every(
        ([name, value]) => JSON.stringify((metadata as Record<string, unknown>)[name]) === JSON.stringify(value),
      ),
    );
    return { status: 200, body: found };
  },
});

const getHistory = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/history",
  name: "list_thread_history_by_get",
  scope: "threads:read",
  request: {
    params: threadParams,
    query: z.object({ limit: historyFields.limit, before: text({ max: 512 }).optional() }),
  },
  async handle({ db }: Store, { params: { thread_id }, query, caller }) {
    return { status: 200, body: await readHistory(db, await viewThread(db, thread_id, caller.owner), query) };
  },
});

export const threadStateRoutes: readonly Operation<ApiContext>[] = [
  get,
  update,
  patch,
  getAtCheckpoint,
  getAt,
  history,
  getHistory,
];
