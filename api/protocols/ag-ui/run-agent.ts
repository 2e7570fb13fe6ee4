import { z } from "zod";
import { conflict, notFound } from "../../../shared/domain/errors/app-error.ts";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import { type AcceptDeps, acceptErrors } from "../../../shared/services/runs/accept-run.ts";
import { cancelRun } from "../../../shared/services/runs/cancel-run.ts";
import type { Origin } from "../../../shared/services/runs/prepare-run.ts";
import { resumeErrors } from "../../../shared/services/runs/resume-run.ts";
import { readRun } from "../../../shared/store/runs/read/read-run.ts";
import { readOpenInterrupt } from "../../../shared/store/runs/moves/resume-run.ts";
import { findOpenInterrupts } from "../../../shared/store/threads/find-active-run.ts";
import type { ApiContext } from "../../context.ts";
import type { Caller } from "../../http/caller.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { type FollowedRun, streamOf } from "../../stream/respond-run.ts";
import { resumeAndFollow } from "../../stream/resume-and-follow.ts";
import { cancelWhenLeft } from "../cancel-when-left.ts";
import { chooseAgent } from "../choose-agent.ts";
import { startTurn } from "../start-turn.ts";
import { agUiRun } from "./events.ts";
import { type RunInput, runInput } from "./run-input.ts";

type Deps = AcceptDeps & Pick<ApiContext, "hub" | "leaving" | "stores">;
/** `again`: the client has read a part of the run before. */
type Begun = { run: FollowedRun; again: boolean };

export const runAgent = defineOperation({
  method: "post",
  path: "/ag-ui/{agent}",
  name: "ag_ui_run_agent",
  area: "AG-UI",
  scope: "runs:write",
  audit: { none: "The run is the record: its timeline names who started it." },
  ignores: "unknown_input",
  summary: "Run an agent, or answer what it asked, over AG-UI",
  request: { params: z.object({ agent: text({ max: 512 }) }), body: runInput },
  errors: [...acceptErrors, ...resumeErrors, "run_not_found", "too_many_streams"],
  responses: { 200: { description: "AG-UI's events", content_type: "text/event-stream", streams: true } },
  async handle(ctx: Deps, { params: { agent }, body, caller, traceparent, untilGone, holdOpen }) {
    holdOpen();
    const origin = { owner: caller.owner, actor: caller.actor, traceparent: traceparent ?? null, key: null };
    const { run, again } =
      (await answer(ctx, body, caller)) ??
      (await followAgain(ctx, body, caller)) ??
      (await start(ctx, agent, body, origin));
    const { threadId, runId } = body;
    cancelWhenLeft(ctx, run.run_id, { caller, gone: untilGone() });
    const projection = agUiRun({ threadId, runId }, run.cursor, again ? saidBefore(body) : null);
    return streamOf(ctx, run, { projection, headers: {} });
  },
});

/** Answers what the thread's runs ask. Null: the request is no answer. */
async function answer(ctx: Deps, { threadId, resume }: RunInput, caller: Caller): Promise<Begun | null> {
  if (!resume?.length) return null;
  const open = await findOpenInterrupts(ctx.db, threadId, caller.owner);
  const asked = resume.map(({ interruptId, ...given }) => {
    const found = open.find(({ interrupt_id }) => interrupt_id === interruptId);
    if (found) return { ...found, ...given };
    throw conflict("interrupt_closed", `The thread '${threadId}' is not waiting for an answer to '${interruptId}'.`);
  });
  let last: FollowedRun | null = null;
  for (const { run_id, interrupt_id, status, payload } of asked) {
    last?.tail.close();
    const reply = { run_id, interrupt_id, response: payload, answered_by: caller.actor };
    const isAnswer = status === "resolved";
    last = await (isAnswer ? resumeAndFollow(ctx, reply, caller.owner) : cancelAndFollow(ctx, run_id, caller));
  }
  return last && { run: last, again: false };
}

/** A person who does not answer ends the run. */
async function cancelAndFollow(ctx: Deps, run_id: string, caller: Caller): Promise<FollowedRun> {
  const cursor = (await readOpenInterrupt(ctx.db, run_id))?.asked ?? beforeFirst;
  if (!(await cancelRun(ctx, run_id, caller))) throw notFound("run", run_id);
  return { run_id, thread_id: null, queued: null, cursor, tail: ctx.hub.open(run_id) };
}

/** Follows the run that an earlier request with the same ids has made. Null: there is none. */
async function followAgain(ctx: Deps, { threadId, runId }: RunInput, { owner }: Caller): Promise<Begun | null> {
  const record = await readRun(ctx.db, runId, owner);
  if (record?.thread_id !== threadId) return null;
  const tail = ctx.hub.open(runId);
  return { run: { run_id: runId, thread_id: threadId, queued: null, cursor: beforeFirst, tail }, again: true };
}

async function start(ctx: Deps, name: string, body: RunInput, origin: Origin): Promise<Begun> {
  const { threadId, runId, messages, tools, context, state, forwardedProps } = body;
  const agent = await chooseAgent(ctx, name, origin.owner);
  const turn = {
    ...agent,
    run_id: runId,
    thread_id: threadId,
    messages,
    fields: { state, tools, context, forwardedProps },
    state_snapshot: snapshotOf(state),
  };
  return { run: await startTurn(ctx, turn, origin), again: false };
}

/** Returns the client's state as the agent's. The agent's own state went to the client as JSON, or as a text that is none. */
function snapshotOf(state: unknown): string {
  if (typeof state === "string") return state;
  const isEmpty = state === undefined || state === null || JSON.stringify(state) === "{}";
  // A space tells a value from a text that is JSON.
  return isEmpty ? "" : ` ${JSON.stringify(state)}`;
}

/** Returns the conversation without what the client has read of this run. */
const saidBefore = ({ messages }: RunInput): RunInput["messages"] =>
  messages.slice(0, messages.findLastIndex(({ role }) => role === "user") + 1);
