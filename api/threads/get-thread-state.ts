import { notFound } from "../../shared/domain/errors/app-error.ts";
import { threadParams, threadState } from "../../shared/schemas/thread.ts";
import { readThreadState } from "../../shared/store/threads/thread-state.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getThreadState = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}/state",
  name: "get_thread_state",
  area: "Threads",
  scope: "threads:read",
  summary: "A thread's state, with which its next run starts",
  description: "Use it to inspect or save what an agent remembers between the runs of a thread. `POST` replaces it.",
  request: { params: threadParams },
  responses: { 200: { description: "The state", schema: threadState } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, caller }) {
    const body = await readThreadState(db, thread_id, caller.owner);
    if (!body) throw notFound("thread", thread_id);
    return { status: 200, body };
  },
});
