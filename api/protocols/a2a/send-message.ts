import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import { notFound } from "../../../shared/domain/errors/app-error.ts";
import { isTerminal } from "../../../shared/domain/run/run-status.ts";
import { readConfig } from "../../../shared/schemas/agent-config.ts";
import { clientId } from "../../../shared/schemas/primitives.ts";
import type { RunRecord } from "../../../shared/schemas/run.ts";
import { newId } from "../../../shared/platform/ids.ts";
import type { AcceptDeps } from "../../../shared/services/runs/accept-run.ts";
import type { ResumeDeps } from "../../../shared/services/runs/resume-run.ts";
import type { ApiContext } from "../../context.ts";
import { acceptAndFollow } from "../../stream/accept-and-follow.ts";
import type { FollowedRun } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import { chatInput } from "../chat-input.ts";
import { rpcCodes, RpcError } from "../rpc-error.ts";
import { readExecuteRequest } from "../read-execute-request.ts";
import { a2aCodes, unsupported } from "./errors.ts";
import type { SendParams } from "./params.ts";
import { contextOf, parseEvent, type Place, readTask, readTaskRun } from "./read-task.ts";
import { answersOf, metadataOf, takeApart } from "./run-input.ts";
import type { Message } from "./message.ts";
import { type TaskTranslation, translateRun } from "./translate-run.ts";

export type SendDeps = AcceptDeps & ResumeDeps & Pick<ApiContext, "hub" | "db">;

/** Who sends a message, and where to. */
export type Sender = Place & { actor: string; traceparent: string | undefined };

/** A task that a message has begun or gone on with, and that is listened to. */
export type SentTask = { run: FollowedRun; translation: TaskTranslation };

/** Begins a task with a message, or answers the question of the task that the message names. The caller closes the tail. */
export async function sendMessage(deps: SendDeps, params: SendParams, sender: Sender): Promise<SentTask> {
  if (params.push)
    throw new RpcError(
      a2aCodes.push_notification_not_supported,
      "Push notifications are not supported. Use completion_callback_url of POST /v1/execute.",
      "PUSH_NOTIFICATION_NOT_SUPPORTED",
    );
  const { taskId } = params.message;
  return taskId === null ? beginTask(deps, params, sender) : answerTask(deps, taskId, params, sender);
}

async function beginTask(deps: SendDeps, { message }: SendParams, sender: Sender): Promise<SentTask> {
  const { agent_id, owner, traceparent = null, base } = sender;
  if (!clientId().safeParse(agent_id).success) throw notFound("agent", agent_id);
  const { messageId, parts } = message;
  const contextId = message.contextId ?? newId("thread");
  const { text, fields, files } = takeApart(parts);
  const input_payload = text === null ? fields : await chatInputOf(deps, sender, { messageId, text, fields });
  const asked = readExecuteRequest({ agent_id, version: "current", thread_id: contextId, input_payload, files });
  const metadata = metadataOf({ messageId, parts });
  const run = await acceptAndFollow(deps, asked, { owner, actor: sender.actor, traceparent, key: null, metadata });
  const taskId = run.run_id;
  const said: Message = { messageId, contextId, taskId, role: "ROLE_USER", parts };
  const translation = translateRun({ taskId, contextId, said: { input: said, answers: new Map() }, base });
  if (run.queued) translation.push(parseEvent(run.queued));
  return { run, translation };
}

type ChatMessage = { messageId: string; text: string; fields: Record<string, unknown> };

/** Returns the input of an agent that is told something, as its `input_schema` has it. */
async function chatInputOf(
  { versions }: SendDeps,
  { agent_id, owner }: Sender,
  { messageId, text, fields }: ChatMessage,
): Promise<Record<string, unknown>> {
  const found = await versions.resolve(agent_id, "current", owner);
  const schema = "missing" in found ? undefined : readConfig(found.config).input_schema;
  const messages = [{ role: "user", content: text, id: messageId }];
  return chatInput(schema, { prompt: text, messages, ...fields });
}

async function answerTask(deps: SendDeps, taskId: string, { message }: SendParams, sender: Sender): Promise<SentTask> {
  const record = await readTaskRun(deps, taskId, sender);
  checkAnswerable(record, message.contextId);
  const { messageId, parts } = message;
  const run = await resumeWithFirstFit(deps, taskId, answersOf(parts), sender);
  try {
    const { translation } = await readTask(deps, record, sender.base, run.cursor);
    translation.answer({ messageId, contextId: contextOf(record), taskId, role: "ROLE_USER", parts });
    return { run, translation };
  } catch (error) {
    run.tail.close();
    throw error;
  }
}

function checkAnswerable(run: RunRecord, contextId: string | null): void {
  if (contextId !== null && contextId !== contextOf(run))
    throw new RpcError(
      rpcCodes.invalid_params,
      `params.message.contextId: the task belongs to the context '${contextOf(run)}'.`,
      "INVALID_PARAMS",
    );
  if (isTerminal(run.status))
    throw unsupported(`Task ${run.id} is in a terminal state (${run.status}) and cannot be modified.`);
  if (run.status !== "interrupted")
    throw unsupported(`Task ${run.id} does not wait for input. Send a message without taskId to begin another task.`);
}

/** Answers with the first value that fits the interrupt's schema. */
async function resumeWithFirstFit(
  deps: SendDeps,
  run_id: string,
  [response, ...others]: readonly unknown[],
  { owner, actor }: Pick<Sender, "owner" | "actor">,
): Promise<FollowedRun> {
  try {
    return await resumeAndFollow(deps, { run_id, interrupt_id: null, response, answered_by: actor }, owner);
  } catch (error) {
    if (!(error instanceof ValidationFault) || others.length === 0) throw error;
    return resumeWithFirstFit(deps, run_id, others, { owner, actor });
  }
}
