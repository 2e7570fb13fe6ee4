import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { threadParams, threadState, threadStateBody } from "../../shared/schemas/thread.ts";
import { setThreadState as set } from "../../shared/store/threads/thread-state.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkState } from "./check-state.ts";

export const setThreadState = defineOperation({
  method: "post",
  path: "/v1/threads/{thread_id}/state",
  name: "set_thread_state",
  area: "Threads",
  scope: "threads:write",
  audit: "thread",
  summary: "Set a thread's state, with which its next run starts",
  description:
    "409 while a run of the thread is queued or running: a running one would not see the new state, and could overwrite it. A run that waits for a person, for another run or for its time goes on with the new state, unless its request or an earlier attempt of it set one; the state that it saves replaces the new one.",
  request: { params: threadParams, body: threadStateBody },
  errors: ["thread_busy"],
  responses: { 200: { description: "The state", schema: threadState } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, body: { state_snapshot }, caller }) {
    checkState(state_snapshot);
    const body = await set(db, thread_id, caller.owner, state_snapshot);
    if (body === "missing") throw notFound("thread", thread_id);
    if (body === "busy") throw conflict("thread_busy", "A run of the thread is queued or running. Cancel it or wait.");
    return { status: 200, body };
  },
});
