import type { z } from "zod";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { isTerminal } from "../../../shared/domain/run/run-status.ts";
import type { Scope } from "../../../shared/schemas/scope.ts";
import { cancelRun } from "../../../shared/services/runs/cancel-run.ts";
import type { ApiContext } from "../../context.ts";
import { requireScope } from "../../http/authorize.ts";
import type { RequestInfo } from "../../http/request-info.ts";
import { awaitRunEnd } from "../../stream/await-run-end.ts";
import { encodeMessage } from "../../stream/encode-sse.ts";
import { awayOf } from "../../stream/resume-elsewhere.ts";
import { writeSse } from "../../stream/write-sse.ts";
import { type Answer, jsonAnswer, resultOf } from "../rpc-response.ts";
import { readParams } from "../read-rpc.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import type { RpcId } from "../rpc-id.ts";
import { a2aCodes, unsupported } from "./errors.ts";
import { type Following, followTask } from "./follow-task.ts";
import { listTasks } from "./list-tasks.ts";
import { legacySendParams, listParams, type SendParams, sendParams, taskParams } from "./params.ts";
import { type Place, readTask, readTaskRun } from "./read-task.ts";
import { sendMessage, type SentTask } from "./send-message.ts";
import type { StreamMessage, Task } from "./task.ts";
import { withHistory } from "./with-history.ts";
import { legacyStreamMessage, legacyTask } from "./to-legacy.ts";
import type { A2aVersion } from "./version.ts";

export type Call = Place & RequestInfo & { id: RpcId; method: string; params: unknown; version: A2aVersion };

type Method = { scope: Scope; answer: (ctx: ApiContext, call: Call) => Promise<Answer> };

const send: Method = { scope: "runs:write", answer: answerSend };
const stream: Method = { scope: "runs:write", answer: answerStream };
const get: Method = { scope: "runs:read", answer: answerGet };
const cancel: Method = { scope: "runs:write", answer: answerCancel };
const subscribe: Method = { scope: "runs:read", answer: answerSubscribe };
const list: Method = { scope: "runs:read", answer: answerList };
const push: Method = refused(
  a2aCodes.push_notification_not_supported,
  "Push notifications are not supported. Use completion_callback_url of POST /v1/execute.",
  "PUSH_NOTIFICATION_NOT_SUPPORTED",
);
const extendedCard: Method = refused(
  a2aCodes.extended_agent_card_not_configured,
  "The agent has no extended card. Its card is all that there is.",
  "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
);

/** The methods of both versions. */
const methods: Record<A2aVersion, Record<string, Method>> = {
  "1.0": {
    SendMessage: send,
    SendStreamingMessage: stream,
    GetTask: get,
    CancelTask: cancel,
    SubscribeToTask: subscribe,
    ListTasks: list,
    CreateTaskPushNotificationConfig: push,
    GetTaskPushNotificationConfig: push,
    ListTaskPushNotificationConfigs: push,
    DeleteTaskPushNotificationConfig: push,
    GetExtendedAgentCard: extendedCard,
  },
  "0.3": {
    "message/send": send,
    "message/stream": stream,
    "tasks/get": get,
    "tasks/cancel": cancel,
    "tasks/resubscribe": subscribe,
    "tasks/pushNotificationConfig/set": push,
    "tasks/pushNotificationConfig/get": push,
    "tasks/pushNotificationConfig/list": push,
    "tasks/pushNotificationConfig/delete": push,
    "agent/getAuthenticatedExtendedCard": extendedCard,
  },
};

/** Answers a call. Throws RpcError, and what the service's own operations throw. */
export async function callMethod(ctx: ApiContext, call: Call): Promise<Answer> {
  const known = methods[call.version];
  const method = Object.hasOwn(known, call.method) ? known[call.method] : undefined;
  if (!method)
    throw new RpcError(
      rpcCodes.method_not_found,
      `A2A ${call.version} has no method '${call.method}'. The header A2A-Version says which version a request speaks.`,
    );
  requireScope(call.caller, method.scope);
  return method.answer(ctx, call);
}

function refused(...fault: ConstructorParameters<typeof RpcError>): Method {
  return { scope: "runs:read", answer: () => Promise.reject(new RpcError(...fault)) };
}

const readSend = ({ version, params }: Call): SendParams =>
  readParams<z.ZodType<SendParams>>(version === "1.0" ? sendParams : legacySendParams, params);

const sendTask = (ctx: ApiContext, call: Call, params: SendParams): Promise<SentTask> =>
  sendMessage(ctx, params, { ...call, actor: call.caller.actor });

async function answerSend(ctx: ApiContext, call: Call): Promise<Answer> {
  const params = readSend(call);
  if (params.waits) call.holdOpen();
  const { run, translation } = await sendTask(ctx, call, params);
  if (params.waits) {
    const gone = call.untilGone();
    const stop = AbortSignal.any([gone, ctx.leaving]);
    const following = followTask(ctx, { ...startOf(run), translation, gone: stop });
    for await (const _messages of following) if (stop.aborted) break;
  } else run.tail.close();
  const task = withHistory(translation.task(), params.historyLength);
  return jsonAnswer(200, resultOf(call.id, call.version === "1.0" ? { task } : legacyTask(task)));
}

/** Of a new run the first event is known. */
const startOf = ({ tail, queued, cursor }: SentTask["run"]): Pick<Following, "tail" | "cursor" | "fresh"> => ({
  tail,
  cursor: queued ?? cursor,
  fresh: queued !== null,
});

async function answerStream(ctx: ApiContext, call: Call): Promise<Answer> {
  const params = readSend(call);
  call.holdOpen();
  const { run, translation } = await sendTask(ctx, call, params);
  const task = withHistory(translation.task(), params.historyLength);
  return streamOf(ctx, call, task, { ...startOf(run), translation, gone: call.untilGone() });
}

/** Streams a task as it stands, then what follows. */
function streamOf(ctx: ApiContext, { id, version }: Call, task: Task, following: Following): Answer {
  const encode = (message: StreamMessage): string =>
    encodeMessage(resultOf(id, version === "1.0" ? message : legacyStreamMessage(message)));
  const away = awayOf(ctx);
  async function* texts(): AsyncGenerator<string> {
    yield encode({ task });
    for await (const messages of followTask(ctx, following)) yield messages.map(encode).join("");
  }
  return { respond: (_req, res) => writeSse(res, texts(), away) };
}

async function answerGet(ctx: ApiContext, call: Call): Promise<Answer> {
  const { id, historyLength } = readParams(taskParams, call.params);
  const run = await readTaskRun(ctx, id, call);
  const { translation } = await readTask(ctx, run, call.base);
  return taskAnswer(call, withHistory(translation.task(), historyLength ?? null));
}

const maxCancelMs = 30_000;

/** Waits for the end of the run, as far as it comes soon. */
async function answerCancel(ctx: ApiContext, call: Call): Promise<Answer> {
  const { id } = readParams(taskParams, call.params);
  const run = await readTaskRun(ctx, id, call);
  if (isTerminal(run.status) && run.status !== "cancelled")
    throw new RpcError(
      a2aCodes.task_not_cancelable,
      `Task ${id} is in a terminal state (${run.status}) and cannot be canceled.`,
      "TASK_NOT_CANCELABLE",
    );
  const tail = ctx.hub.open(id);
  try {
    await cancelRun(ctx, id, call.caller);
    // After the cancel: who has too many open streams can end their runs.
    call.holdOpen();
    const signals = [call.untilGone(), ctx.leaving];
    await awaitRunEnd(ctx, id, tail, { cursor: beforeFirst, fresh: false, ms: maxCancelMs, signals });
  } finally {
    tail.close();
  }
  const ended = await readTaskRun(ctx, id, call);
  return taskAnswer(call, (await readTask(ctx, ended, call.base)).translation.task());
}

async function answerSubscribe(ctx: ApiContext, call: Call): Promise<Answer> {
  const { id } = readParams(taskParams, call.params);
  const run = await readTaskRun(ctx, id, call);
  if (isTerminal(run.status))
    throw unsupported(`Task ${id} is in a terminal state (${run.status}) and cannot be subscribed to.`);
  call.holdOpen();
  const tail = ctx.hub.open(id);
  try {
    const { translation, last } = await readTask(ctx, run, call.base);
    const task = translation.task();
    const gone = call.untilGone();
    return streamOf(ctx, call, task, { tail, translation, cursor: last, fresh: false, gone });
  } catch (error) {
    tail.close();
    throw error;
  }
}

async function answerList(ctx: ApiContext, call: Call): Promise<Answer> {
  const page = await listTasks(ctx, call, readParams(listParams, call.params));
  return jsonAnswer(200, resultOf(call.id, page));
}

const taskAnswer = ({ id, version }: Call, task: Task): Answer =>
  jsonAnswer(200, resultOf(id, version === "1.0" ? task : legacyTask(task)));
