import { AppError, notFound } from "../../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../../shared/domain/errors/validation-fault.ts";
import type { AcceptDeps } from "../../../shared/services/runs/accept-run.ts";
import type { ResumeDeps } from "../../../shared/services/runs/resume-run.ts";
import { mayUseThread } from "../../../shared/store/threads/may-use-thread.ts";
import { readThread } from "../../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../../context.ts";
import type { RequestInfo } from "../../http/request-info.ts";
import { acceptAndFollow } from "../../stream/accept-and-follow.ts";
import { cancelOnDisconnect } from "../../stream/cancel-on-disconnect.ts";
import type { FollowedRun } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import type { RunView } from "./run-stream.ts";
import { refuseUnsupported, type RunBody, toExecuteRequest, withTheirFields } from "./run-request.ts";
import { checkpointId, refusePast } from "./thread-state.ts";
import type { Values } from "./grow-values.ts";
import { valuesOf } from "./thread-values.ts";
import { type ThreadView, viewThread } from "./thread-view.ts";

export type StartDeps = AcceptDeps & ResumeDeps & Pick<ApiContext, "hub">;

/** A run that this request started or answered. */
export type StartedRun = { run: FollowedRun; view: Omit<RunView, "modes"> };

type Input = Pick<RequestInfo, "caller" | "traceparent"> & { body: RunBody };

const busy = "Thread is already running a task. Wait for it to finish or choose a different multitask strategy.";

/** Starts a run, or with `command.resume` answers the one that asks. `thread_id` null: the run has no thread. */
export async function startRun(ctx: StartDeps, thread_id: string | null, input: Input): Promise<StartedRun> {
  const { body, caller, traceparent } = input;
  refuseUnsupported(body);
  const thread = thread_id === null ? null : await findThread(ctx, thread_id, input);
  if (thread) refusePast(thread, body.checkpoint_id ?? checkpointId(body.checkpoint));
  if (body.command?.resume !== undefined) return answerRun(ctx, thread, input);
  return withTheirFields(async () => {
    const { owner } = caller;
    const request = await toExecuteRequest(ctx.db, body, thread_id, owner);
    const strategy = body.multitask_strategy ?? "reject";
    const multitask = strategy === "rollback" ? "interrupt" : strategy;
    const origin = { owner, actor: caller.actor, traceparent: traceparent ?? null, key: null, multitask };
    const run = await acceptAndFollow(ctx, request, origin).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === "thread_busy")) throw error;
      throw new ValidationFault([{ type: "thread_busy", loc: ["body", "multitask_strategy"], msg: busy }]);
    });
    const base: Values = thread ? valuesOf(thread, thread.head.state_snapshot) : {};
    return { run, view: { agent_id: request.agent_id, base, input: request.input_payload } };
  });
}

/** Returns the thread of a run. Null: there is none yet, and the run is to make it. Throws not_found. */
async function findThread(ctx: StartDeps, id: string, { body, caller }: Input): Promise<ThreadView | null> {
  if (await readThread(ctx.db, id, caller.owner)) return viewThread(ctx.db, id, caller.owner);
  if (body.if_not_exists !== "create" || !(await mayUseThread(ctx.db, id, caller.owner))) throw notFound("thread", id);
  return null;
}

/**
 * Answers what the thread's last run asks. The run goes on under its id. LangGraph's server makes a new run; its client does not
 * depend on that.
 */
async function answerRun(ctx: StartDeps, thread: ThreadView | null, { body, caller }: Input): Promise<StartedRun> {
  const head = thread?.head;
  const [open] = head?.interrupts ?? [];
  if (!head || head.run_id === null || !open)
    throw new ValidationFault([
      { type: "nothing_asked", loc: ["body", "command", "resume"], msg: "No run of the thread waits for an answer." },
    ]);
  const { run_id } = head;
  const { interrupt_id, response } = readAnswer(body.command?.resume, open.id);
  const answer = { run_id, interrupt_id, response, answered_by: caller.actor };
  const run = await resumeAndFollow(ctx, answer, caller.owner);
  const base = valuesOf(thread, head.state_snapshot);
  return {
    run: { ...run, thread_id: thread.thread.id },
    view: { agent_id: head.agent_id ?? "", base, input: head.input_payload ?? {} },
  };
}

/** Returns the answer to a question: a value, or a map of interrupt ids and values. */
function readAnswer(resume: unknown, openId: string): { interrupt_id: string; response: unknown } {
  const entries = typeof resume === "object" && resume !== null && !Array.isArray(resume) ? Object.entries(resume) : [];
  const isMap = entries.length > 0 && entries.every(([id]) => /^int_[0-9a-f]{32}$/.test(id));
  if (!isMap) return { interrupt_id: openId, response: resume };
  const [id, response] = entries.find(([name]) => name === openId) ?? entries[0] ?? [openId, resume];
  return { interrupt_id: id, response };
}

/** Cancels a run when its client disconnects, if the client wants that. */
export function cancelWhenGone(
  ctx: AcceptDeps & Pick<ApiContext, "leaving">,
  runId: string,
  { body, caller, untilGone }: Input & Pick<RequestInfo, "untilGone">,
): void {
  if (body.on_disconnect !== "cancel") return;
  cancelOnDisconnect(ctx, runId, { caller, gone: untilGone() });
}
