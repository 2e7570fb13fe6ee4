import { z } from "zod";
import { AppError, notFound } from "../../../shared/domain/errors/app-error.ts";
import { beforeFirst, type EventId, parseEventId, compareEventIds } from "../../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../../shared/domain/run/run-status.ts";
import { choice, laxBool, text } from "../../../shared/schemas/primitives.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import { acceptRun, type AcceptDeps } from "../../../shared/services/runs/accept-run.ts";
import { cancelRun, cancelRuns } from "../../../shared/services/runs/cancel-run.ts";
import { checkAcceptable } from "../../../shared/services/runs/check-acceptable.ts";
import { removeRun } from "../../../shared/services/runs/remove-run.ts";
import type { Db } from "../../../shared/store/client.ts";
import type { Owner } from "../../../shared/store/owned-by.ts";
import { listThreadRuns } from "../../../shared/store/runs/read/list-thread-runs.ts";
import { readRun } from "../../../shared/store/runs/read/read-run.ts";
import { readRunStates } from "../../../shared/store/runs/read/read-run-states.ts";
import { readThread } from "../../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../../context.ts";
import { requireScope } from "../../http/authorize.ts";
import type { Operation } from "../../http/define-operation.ts";
import { cancelOnDisconnect } from "../../stream/cancel-on-disconnect.ts";
import { awaitRunEnd } from "../../stream/await-run-end.ts";
import type { FollowedRun } from "../../stream/respond-run.ts";
import { lastEventIdHeader } from "../../stream/last-event-id.ts";
import type { RespondDeps } from "../../stream/respond-sse.ts";
import { countedPage, defineRoute, notSupported, select } from "./define-route.ts";
import type { RunView } from "./run-stream.ts";
import { locationOf, streamRun, waitForRun } from "./respond-run.ts";
import { refuseUnsupported, runBody, toExecuteRequest, withTheirFields } from "./run-request.ts";
import { cancelWhenGone, type StartDeps, startRun } from "./start-run.ts";
import { runWord, runWords, statusesOf } from "./statuses.ts";
import { joinModes, readModes } from "./stream-modes.ts";
import { threadParams } from "./threads.ts";
import { valuesBefore } from "./thread-values.ts";
import { viewThread } from "./thread-view.ts";

type Deps = StartDeps & RespondDeps;

const noParams = z.object({});
const runParams = z.object({ run_id: text({ max: 512 }) });
const threadRunParams = threadParams.extend(runParams.shape);

type Shown = Pick<RunRecord, "id" | "thread_id" | "agent_id" | "status" | "metadata"> & {
  created_at: string;
  updated_at: string;
};

/** A run in LangGraph's form. */
const toRun = ({ id, thread_id, agent_id, status, metadata, created_at, updated_at }: Shown) => ({
  run_id: id,
  thread_id,
  assistant_id: agent_id,
  metadata: { ...metadata, graph_id: agent_id, assistant_id: agent_id },
  status: runWord(status),
  kwargs: {},
  multitask_strategy: null,
  created_at,
  updated_at,
});

const updatedAt = ({ completed_at, started_at, created_at }: RunRecord) => completed_at ?? started_at ?? created_at;

/** Returns a run of the thread, or with null a run of any. Throws not_found. */
async function findRun(db: Db, run_id: string, thread_id: string | null, owner: Owner): Promise<RunRecord> {
  const run = await readRun(db, run_id, owner);
  if (!run || (thread_id !== null && run.thread_id !== thread_id)) throw notFound("run", run_id);
  return run;
}

/** The path of a thread's runs, and of those without a thread. */
const places = [
  { base: "/threads/{thread_id}/runs", params: threadParams },
  { base: "/runs", params: noParams },
] as const;

const threadOf = (params: object): string | null => ("thread_id" in params ? String(params.thread_id) : null);

const starts = places.flatMap(({ base, params }) => [
  defineRoute({
    method: "post",
    path: `${base}/stream`,
    name: "stream_run",
    scope: "runs:write",
    request: { params, body: runBody },
    async handle(ctx: Deps, input) {
      const modes = readModes(input.body.stream_mode, ["body", "stream_mode"], ["values"]);
      input.holdOpen();
      const { run, view } = await startRun(ctx, threadOf(input.params), input);
      cancelWhenGone(ctx, run.run_id, input);
      return streamRun(ctx, run, { ...view, modes });
    },
  }),
  defineRoute({
    method: "post",
    path: `${base}/wait`,
    name: "wait_for_run",
    scope: "runs:write",
    request: { params, body: runBody },
    async handle(ctx: Deps, input) {
      input.holdOpen();
      const { run, view } = await startRun(ctx, threadOf(input.params), input);
      cancelWhenGone(ctx, run.run_id, input);
      return waitForRun(ctx, run, view, ({ ending }) => ending);
    },
  }),
  defineRoute({
    method: "post",
    path: base,
    name: "create_run",
    scope: "runs:write",
    request: { params, body: runBody },
    async handle(ctx: Deps, input) {
      const { run } = await startRun(ctx, threadOf(input.params), input);
      run.tail.close();
      const record = await findRun(ctx.db, run.run_id, null, input.caller.owner);
      const body = toRun({ ...record, updated_at: updatedAt(record) });
      return { status: 200, body, headers: { "Content-Location": locationOf(record.id, record.thread_id) } };
    },
  }),
]);

/** The client sends an item's fields as the user wrote them, besides `assistant_id`. */
const batchItem = runBody.loose();

const createBatch = defineRoute({
  method: "post",
  path: "/runs/batch",
  name: "create_runs",
  scope: "runs:write",
  request: { body: z.array(batchItem).min(1).max(100) },
  async handle(ctx: AcceptDeps, { body, caller, traceparent }) {
    const { owner } = caller;
    return withTheirFields(async () => {
      const requests = [];
      for (const item of body) {
        refuseUnsupported({
          ...item,
          after_seconds: item.after_seconds ?? (item["afterSeconds"] as number | undefined),
        });
        if (item.command?.resume !== undefined)
          throw notSupported("command", "Runs of a batch have no thread that could ask.");
        requests.push(await toExecuteRequest(ctx.db, item, null, owner));
      }
      // All are checked before the first one starts.
      for (const request of requests) await checkAcceptable(ctx, ctx.versions.resolveUncached, request, owner);
      const origin = { owner, actor: caller.actor, traceparent: traceparent ?? null, key: null };
      const runs = [];
      const started: string[] = [];
      try {
        for (const request of requests) {
          const { run_id, queued } = await acceptRun(ctx, request, origin);
          if (queued) started.push(run_id);
          const record = await findRun(ctx.db, run_id, null, owner);
          runs.push(toRun({ ...record, updated_at: updatedAt(record) }));
        }
      } catch (error) {
        // The client sends the whole batch again.
        await cancelRuns(ctx, started, caller).catch(() => undefined);
        throw error;
      }
      return { status: 200, body: runs };
    });
  },
});

const selection = z
  .string()
  .optional()
  .transform((given, ctx) => {
    if (given === undefined) return null;
    try {
      return z.array(z.string()).parse(JSON.parse(given));
    } catch {
      ctx.addIssue({ code: "custom", message: "Input should be a list of texts as JSON" });
      return z.NEVER;
    }
  });

const list = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/runs",
  name: "list_runs",
  scope: "runs:read",
  request: {
    params: threadParams,
    query: z.object({ ...countedPage, status: choice(runWords).optional(), select: selection }),
  },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, query, caller }) {
    const thread = await readThread(db, thread_id, caller.owner);
    if (!thread) throw notFound("thread", thread_id);
    const { limit, offset, status } = query;
    const statuses = status === undefined ? null : statusesOf(status);
    const found = await listThreadRuns(db, { thread_id, since: new Date(thread.created_at), statuses, limit, offset });
    const runs = found.map((run) =>
      toRun({ ...run, created_at: run.created_at.toISOString(), updated_at: run.updated_at.toISOString() }),
    );
    return { status: 200, body: runs.map((run) => select(run, query.select)) };
  },
});

const get = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/runs/{run_id}",
  name: "get_run",
  scope: "runs:read",
  request: { params: threadRunParams },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id, run_id }, caller }) {
    const record = await findRun(db, run_id, thread_id, caller.owner);
    return { status: 200, body: toRun({ ...record, updated_at: updatedAt(record) }) };
  },
});

/** Returns what is shown of a run that is there already. */
async function viewRun(db: Db, run: RunRecord, owner: Owner): Promise<Omit<RunView, "modes">> {
  const input = Object(run.input_payload) as object;
  const thread = run.thread_id === null ? null : await viewThread(db, run.thread_id, owner).catch(() => null);
  return { agent_id: run.agent_id, base: thread ? valuesBefore(thread, run) : {}, input };
}

const follow = (ctx: Deps, { id: run_id, thread_id }: RunRecord, cursor: EventId): FollowedRun => ({
  run_id,
  thread_id,
  cursor,
  queued: null,
  tail: ctx.hub.open(run_id),
});

const join = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/runs/{run_id}/join",
  name: "join_run",
  scope: "runs:read",
  request: { params: threadRunParams },
  async handle(ctx: Deps, { params: { thread_id, run_id }, caller, holdOpen }) {
    const run = await findRun(ctx.db, run_id, thread_id, caller.owner);
    holdOpen();
    const view = await viewRun(ctx.db, run, caller.owner);
    return waitForRun(ctx, follow(ctx, run, beforeFirst), view, ({ values }) => values);
  },
});

const streamQuery = z.object({
  stream_mode: z.string().optional(),
  cancel_on_disconnect: laxBool().default(false),
});

/** Returns the event after which a stream goes on. To LangGraph's client -1 is the beginning. */
function readCursor(header: string | undefined): EventId {
  if (!header || header === "-1") return beforeFirst;
  const cursor = parseEventId(header);
  if (!cursor)
    throw new AppError(
      "bad_request",
      "bad_event_id",
      "`Last-Event-ID` is not an event id. An event id has the form <attempt>-<seq>, as in 1-17.",
    );
  return cursor;
}

type Join = { query: z.output<typeof streamQuery>; headers: { "last-event-id"?: string | undefined } };

/** Answers with a run's stream, or with 204 when the reader has all of it. */
async function joinRun(ctx: Deps, run: RunRecord, { query, headers }: Join, owner: Owner) {
  const cursor = readCursor(headers["last-event-id"]);
  const modes = readModes(query.stream_mode, ["query", "stream_mode"], joinModes);
  const [state] = await readRunStates(ctx.db, [run.id], owner);
  if (!state) throw notFound("run", run.id);
  const rests = isTerminal(state.status) || state.status === "interrupted";
  if (rests && compareEventIds(cursor, state.last) >= 0) return { status: 204 };
  return streamRun(ctx, follow(ctx, run, cursor), { ...(await viewRun(ctx.db, run, owner)), modes });
}

const joins = [
  { path: "/threads/{thread_id}/runs/{run_id}/stream", params: threadRunParams },
  { path: "/runs/{run_id}/stream", params: runParams },
].map(({ path, params }) =>
  defineRoute({
    method: "get",
    path,
    name: "join_run_stream",
    scope: "runs:read",
    request: { params, query: streamQuery, headers: z.object(lastEventIdHeader) },
    async handle(ctx: Deps, input) {
      const { caller, query, holdOpen, untilGone } = input;
      const { run_id } = input.params;
      if (query.cancel_on_disconnect) requireScope(caller, "runs:write");
      const run = await findRun(ctx.db, run_id, threadOf(input.params), caller.owner);
      holdOpen();
      if (query.cancel_on_disconnect) cancelOnDisconnect(ctx, run_id, { caller, gone: untilGone() });
      return joinRun(ctx, run, input, caller.owner);
    },
  }),
);

const joinThread = defineRoute({
  method: "get",
  path: "/threads/{thread_id}/stream",
  name: "join_thread_stream",
  scope: "runs:read",
  request: { params: threadParams, query: streamQuery, headers: z.object(lastEventIdHeader) },
  async handle(ctx: Deps, { params: { thread_id }, query, headers, caller, holdOpen }) {
    const { head } = await viewThread(ctx.db, thread_id, caller.owner);
    const isOpen = head.status !== null && !isTerminal(head.status) && head.status !== "interrupted";
    // Ids belong to a run, so a reader that has one wants the rest of the last run, even if that has ended.
    if (head.run_id === null || !(isOpen || headers["last-event-id"])) return { status: 204 };
    holdOpen();
    const run = await findRun(ctx.db, head.run_id, thread_id, caller.owner);
    // This client's default for a thread is a word for what a run streams.
    const stream_mode = query.stream_mode === "run_modes" ? undefined : query.stream_mode;
    return joinRun(ctx, run, { query: { ...query, stream_mode }, headers }, caller.owner);
  },
});

/** A worker stops a run within its grace period. Whoever waits for the end waits for so long at most. */
const longestStopMs = 60_000;

const cancel = defineRoute({
  method: "post",
  path: "/threads/{thread_id}/runs/{run_id}/cancel",
  name: "cancel_run",
  scope: "runs:write",
  audit: "run",
  request: {
    params: threadRunParams,
    query: z.object({ wait: laxBool().default(false), action: choice(["interrupt", "rollback"]).default("interrupt") }),
  },
  async handle(ctx: Deps, { params: { thread_id, run_id }, query, caller, untilGone, holdOpen }) {
    await findRun(ctx.db, run_id, thread_id, caller.owner);
    const tail = ctx.hub.open(run_id);
    try {
      if (!(await cancelRun(ctx, run_id, caller))) throw notFound("run", run_id);
      const signals = [untilGone(), ctx.leaving];
      // After the cancel: who has too many open streams can end their runs.
      if (query.wait || query.action === "rollback") {
        holdOpen();
        await awaitRunEnd(ctx, run_id, tail, { cursor: beforeFirst, fresh: false, ms: longestStopMs, signals });
      }
    } finally {
      tail.close();
    }
    if (query.action === "rollback") await removeRun(ctx, run_id, caller);
    return { status: 204 };
  },
});

const remove = defineRoute({
  method: "delete",
  path: "/threads/{thread_id}/runs/{run_id}",
  name: "delete_run",
  scope: "runs:write",
  audit: "run",
  request: { params: threadRunParams },
  async handle(ctx: Pick<AcceptDeps, "db" | "streams" | "queue" | "log">, { params: { thread_id, run_id }, caller }) {
    await findRun(ctx.db, run_id, thread_id, caller.owner);
    await removeRun(ctx, run_id, caller);
    return { status: 204 };
  },
});

export const runRoutes: readonly Operation<ApiContext>[] = [
  ...starts,
  createBatch,
  list,
  get,
  join,
  ...joins,
  joinThread,
  cancel,
  remove,
];
