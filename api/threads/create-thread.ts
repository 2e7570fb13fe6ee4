import type { z } from "zod";
import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userHasMost } from "../../shared/domain/errors/user-has-most.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { newId } from "../../shared/platform/ids.ts";
import { threadBody, threadRecord } from "../../shared/schemas/thread.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { createThread as create } from "../../shared/store/threads/create-thread.ts";
import { readThread } from "../../shared/store/threads/thread-record.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkState } from "./check-state.ts";

export const createThread = defineOperation({
  method: "post",
  path: "/v1/threads",
  name: "create_thread",
  area: "Threads",
  scope: "threads:write",
  idempotent: true,
  audit: "thread",
  summary: "Create a thread",
  description:
    "A thread stores the messages of its runs and their state, and passes both to its next run. An unknown `thread_id` in `POST /v1/execute` creates a thread, too.",
  request: { body: threadBody },
  errors: ["foreign_user_id", "agent_not_found", "thread_exists", "too_many_threads"],
  responses: {
    200: { description: "The thread exists already (`if_exists: do_nothing`)", schema: threadRecord },
    201: { description: "The thread", schema: threadRecord },
  },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    const { agent_id = null, state_snapshot = null } = body;
    checkState(state_snapshot);
    const user_id = ownerOf(caller, body.user_id);
    if (agent_id !== null && !(await readAgent(db, agent_id, caller.owner))) throw notFound("agent", agent_id);
    const id = idOf(body) ?? newId("thread");
    const row = { id, user_id, agent_id, state_snapshot, ...annotationsOf(body) };
    const outcome = await create(db, row, config.perUser.threads);
    if (outcome === "full") throw conflict("too_many_threads", userHasMost("threads", config.perUser, user_id));
    const made = outcome === "made";
    const thread = made || body.if_exists === "do_nothing" ? await readThread(db, id, caller.owner) : null;
    if (!thread) throw conflict("thread_exists", `The thread id '${id}' is in use. Choose another id.`);
    return made ? { status: 201, body: thread } : { status: 200, body: thread };
  },
});

/** Returns the id that the client chose, under either name. */
function idOf({ id, thread_id }: z.output<typeof threadBody>): string | null {
  if (id != null && thread_id != null && id !== thread_id) throw otherId();
  return thread_id ?? id ?? null;
}

const annotationsOf = ({ title = null, metadata, tags }: z.output<typeof threadBody>) => ({
  title,
  metadata: metadata ?? {},
  tags: [...new Set(tags)],
});

const otherId = () =>
  new ValidationFault([
    { type: "value_error", loc: ["body", "id"], msg: "Value error, must be the same as thread_id" },
  ]);
