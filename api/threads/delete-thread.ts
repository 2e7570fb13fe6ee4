import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { threadParams } from "../../shared/schemas/thread.ts";
import { deleteThread as remove } from "../../shared/store/threads/change-thread.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteThread = defineOperation({
  method: "delete",
  path: "/v1/threads/{thread_id}",
  name: "delete_thread",
  area: "Threads",
  scope: "threads:write",
  audit: "thread",
  summary: "Delete a thread",
  description:
    "Deletes the thread with its messages and state. Its runs are not deleted. 409 while one of its runs has not ended.",
  request: { params: threadParams },
  errors: ["thread_busy"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, caller }) {
    const done = await remove(db, thread_id, caller.owner);
    if (done === "missing") throw notFound("thread", thread_id);
    if (done === "busy") throw conflict("thread_busy", "A run of the thread has not ended. Cancel it or wait.");
    return { status: 204 };
  },
});
