import { notFound } from "../../shared/domain/errors/app-error.ts";
import { threadParams, threadPatch, threadRecord } from "../../shared/schemas/thread.ts";
import { patchThread } from "../../shared/store/threads/change-thread.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const updateThread = defineOperation({
  method: "patch",
  path: "/v1/threads/{thread_id}",
  name: "update_thread",
  area: "Threads",
  scope: "threads:write",
  audit: "thread",
  summary: "Change a thread's title and metadata",
  description: "The body is a merge patch (RFC 7396). The state is set by `POST /v1/threads/{thread_id}/state`.",
  request: { params: threadParams, body: threadPatch },
  responses: { 200: { description: "The thread", schema: threadRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { thread_id }, body: patch, caller }) {
    const done = await patchThread(db, thread_id, caller.owner, patch);
    const body = done ? await readThread(db, thread_id, caller.owner) : null;
    if (!body) throw notFound("thread", thread_id);
    return { status: 200, body };
  },
});
