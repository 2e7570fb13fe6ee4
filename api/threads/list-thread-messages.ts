import { notFound } from "../../shared/domain/errors/app-error.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { messageListQuery, threadMessage, threadParams } from "../../shared/schemas/thread.ts";
import { listMessages } from "../../shared/store/threads/list-messages.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listThreadMessages = defineOperation({
  method: "get",
  path: "/v1/threads/{thread_id}/messages",
  name: "list_thread_messages",
  area: "Threads",
  scope: "threads:read",
  summary: "A thread's messages, newest first",
  description:
    "The messages are the input of each run that ended, and the result of each successful one. The next run gets them as its `history`.",
  request: { params: threadParams, query: messageListQuery },
  responses: { 200: { description: "A page of messages", schema: pageOf(threadMessage) } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, query, caller }) {
    if (!(await readThread(db, thread_id, caller.owner))) throw notFound("thread", thread_id);
    return { status: 200, body: await listMessages(db, thread_id, query) };
  },
});
