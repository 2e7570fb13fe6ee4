import { z } from "zod";
import { clientId, jsonObject } from "../../shared/schemas/primitives.ts";
import { queuedExample, runRecord } from "../../shared/schemas/run.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { daemonParams, messageErrors, waitQuery } from "./daemon-request.ts";
import { awaitMessage } from "./await-message.ts";
import { sendMessage } from "./send-message.ts";

export const postDaemonMessage = defineOperation({
  method: "post",
  path: "/v1/daemon/{agent_id}/messages",
  name: "post_daemon_message",
  area: "Daemons",
  scope: "daemons:write",
  audit: { target: "agent", detail: (_input, { run_id }) => ({ run_id }) },
  summary: "Send a message to an agent's daemon",
  description:
    "A message is a run of lifecycle `daemon` and is followed, cancelled and read like any run. The daemon gets its messages one at a time, in order.",
  request: {
    params: daemonParams,
    query: waitQuery,
    body: z
      .object({
        payload: jsonObject().default({}).meta({ description: "The input of `on_message`." }),
        run_id: clientId()
          .nullish()
          .meta({ description: "A repeated request with the same id and payload refers to the same message." }),
      })
      .meta({ id: "DaemonMessage", example: { payload: { text: "Hello" } } }),
  },
  errors: [...messageErrors, "too_many_streams"],
  responses: {
    200: { description: "The message's run has ended", schema: runRecord },
    202: {
      description: "The message is in the mailbox",
      schema: runRecord,
      example: { ...queuedExample, lifecycle: "daemon", origin: "daemon" },
    },
  },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "hub" | "fleet" | "capacity" | "jsonSchemas" | "leaving">,
    { params, query, body, traceparent, caller, holdOpen },
  ) {
    if (query.wait > 0) holdOpen();
    await readDaemonOf(ctx, params.agent_id, caller.owner);
    const { payload, run_id = null } = body;
    const message = {
      agent_id: params.agent_id,
      payload,
      run_id,
      traceparent: traceparent ?? null,
      actor: caller.actor,
    };
    const sent = await sendMessage(ctx, message);
    await awaitMessage(ctx, sent.run_id, query.wait * 1000);
    const record = await readRun(ctx.db, sent.run_id, null);
    if (!record) throw new Error("An accepted message has no row.");
    return record.completed_at === null ? { status: 202, body: record } : { status: 200, body: record };
  },
});
