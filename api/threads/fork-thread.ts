import type { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { newId } from "../../shared/platform/ids.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { forkBody, threadParams, threadRecord } from "../../shared/schemas/thread.ts";
import { forkThread as fork } from "../../shared/store/threads/fork-thread.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { countCopy } from "../http/count-copy.ts";
import { defineOperation } from "../http/define-operation.ts";

const example: z.output<typeof threadRecord> = {
  ...exampleOf(threadRecord),
  id: "thread_0199c0ffee",
  thread_id: "thread_0199c0ffee",
  title: "What if",
  forked_from: "support-4711",
};

export const forkThread = defineOperation({
  method: "post",
  path: "/v1/threads/{thread_id}/fork",
  name: "fork_thread",
  area: "Threads",
  scope: "threads:write",
  idempotent: true,
  audit: "thread",
  summary: "Copy a thread up to one of its runs",
  description:
    "The copy has the messages and the state as they were after that run, and is independent of the original. It belongs to the same user. Messages of more than 64 MiB aren't copied, and each MiB counts as one more request. A state that was set by `POST /v1/threads/{thread_id}/state` and that a later run has replaced is kept nowhere: the copy then has the state that the last run before had left, or none.",
  request: { params: threadParams, body: forkBody },
  errors: [
    "thread_not_found",
    "run_not_found",
    "run_not_ended",
    "thread_exists",
    "thread_too_large",
    "too_many_threads",
  ],
  responses: { 201: { description: "The new thread", schema: threadRecord, example } },
  async handle(
    { db, config, guards }: Pick<ApiContext, "config" | "db" | "guards">,
    { params: { thread_id: from }, body, caller, ip },
  ) {
    const { run_id = null, title = null, metadata = null } = body;
    const id = body.thread_id ?? newId("thread");
    const done = await fork(
      db,
      caller.owner,
      { from, id, run_id, title, metadata },
      {
        most: config.perUser.threads,
        count: (bytes) => countCopy(guards, caller, { ip }, bytes),
      },
    );
    if (done === "full") throw conflict("too_many_threads", userHasMost("threads", config.perUser, null));
    if (done === "thread_missing") throw notFound("thread", from);
    if (done === "run_missing") throw notFound("run", run_id ?? "");
    if (done === "run_not_ended")
      throw conflict("run_not_ended", `The run '${run_id}' has not ended. Wait for its end, or name another run.`);
    const thread = done === "forked" ? await readThread(db, id, caller.owner) : null;
    if (!thread) throw conflict("thread_exists", `The thread id '${id}' is in use. Choose another id.`);
    return { status: 201, body: thread };
  },
});
