import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf, pageQuery } from "../../shared/schemas/primitives.ts";
import { pastState, threadParams } from "../../shared/schemas/thread.ts";
import { listPastStates } from "../../shared/store/threads/list-past-states.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listThreadHistory = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}/history",
  name: "list_thread_history",
  area: "Threads",
  scope: "threads:read",
  summary: "The states after each of a thread's runs, newest first",
  description:
    "One state for each run that has ended. `POST /v1/threads/{thread_id}/fork` makes a thread from one of them.",
  request: { params: threadParams, query: pageQuery },
  responses: { 200: { description: "A page of states", schema: pageOf(pastState) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, query, caller }) {
    const thread = await readThread(db, thread_id, caller.owner);
    if (!thread) throw notFound("thread", thread_id);
    const within = { id: thread_id, since: new Date(thread.created_at) };
    return { status: 200, body: await listPastStates(db, within, query) };
  },
});
