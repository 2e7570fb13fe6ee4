import { z } from "zod";
import { beforeFirst } from "../../../shared/domain/run/event-id.ts";
import { text } from "../../../shared/schemas/primitives.ts";
import { covers } from "../../../shared/schemas/scope.ts";
import type { CancelDeps } from "../../../shared/services/runs/cancel-run.ts";
import { readAnswers } from "../../../shared/store/runs/questions/read-answers.ts";
import { findOpenRun } from "../../../shared/store/threads/find-active-run.ts";
import type { ApiContext } from "../../context.ts";
import { defineOperation } from "../../http/define-operation.ts";
import { streamAgain } from "../../stream/respond-run.ts";
import { cancelWhenLeft } from "../cancel-when-left.ts";
import { chatMessage } from "./message-parts.ts";

export const reconnect = defineOperation({
  method: "get",
  path: "/ai-sdk/{agent}/{chat}/stream",
  name: "ai_sdk_reconnect",
  area: "AI SDK",
  scope: "runs:read",
  ignores: "unknown_input",
  summary: "The message that a chat's agent is saying, from its beginning",
  request: { params: z.object({ agent: text({ max: 512 }), chat: text({ max: 512 }) }) },
  errors: ["too_many_streams"],
  responses: {
    200: { description: "The UI message stream", content_type: "text/event-stream", streams: true },
    204: { description: "Nothing runs" },
  },
  async handle(
    ctx: CancelDeps & Pick<ApiContext, "log" | "hub" | "leaving" | "stores">,
    { params: { chat }, caller, untilGone, holdOpen },
  ) {
    const run_id = await findOpenRun(ctx.db, chat, caller.owner);
    if (run_id === null) return { status: 204 };
    holdOpen();
    // Who may only read a run can't stop it.
    if (covers(caller.scopes, "runs:write")) cancelWhenLeft(ctx, run_id, { caller, gone: untilGone() });
    const answers = await readAnswers(ctx.db, run_id);
    const run = { run_id, thread_id: chat, cursor: beforeFirst };
    return streamAgain(ctx, run, { projection: chatMessage(beforeFirst, answers), headers: {} });
  },
});
