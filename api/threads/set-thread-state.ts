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
  summary: "Set the state that a thread's next run begins with",
  description: "409 while a run goes on or waits: it would not see the new state, and may overwrite it.",
  request: { params: threadParams, body: threadStateBody },
  errors: ["thread_busy"],
  responses: { 200: { description: "The state", schema: threadState } },
  async handle({ db }: ApiContext, { params: { thread_id }, body: { state_snapshot }, caller }) {
    checkState(state_snapshot);
    const body = await set(db, thread_id, caller.owner, state_snapshot);
    if (body === "missing") throw notFound("thread", thread_id);
    if (body === "busy") throw conflict("thread_busy", "A run of it has not ended.");
    return { status: 200, body };
  },
});
