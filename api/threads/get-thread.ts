import { notFound } from "../../shared/domain/errors/app-error.ts";
import { threadParams, threadRecord } from "../../shared/schemas/thread.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getThread = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}",
  name: "get_thread",
  area: "Threads",
  scope: "threads:read",
  summary: "A thread",
  description: "Use it to read a thread's title and metadata. Its messages and runs are lists of their own.",
  request: { params: threadParams },
  responses: { 200: { description: "The thread", schema: threadRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, caller }) {
    const body = await readThread(db, thread_id, caller.owner);
    if (!body) throw notFound("thread", thread_id);
    return { status: 200, body };
  },
});
