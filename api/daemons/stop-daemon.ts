import { daemonControlled, daemonSettings } from "../../shared/schemas/daemon.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { actOnDaemon } from "./act-on-daemon.ts";
import { daemonParams, waitQuery } from "./daemon-request.ts";

export const stopDaemon = defineOperation({
  method: "post",
  path: "/v1/daemon/{agent_id}/stop",
  name: "stop_daemon",
  area: "Daemons",
  scope: "daemons:write",
  audit: { target: "agent", detail: (_input, { changed }) => ({ changed }) },
  summary: "Stop an agent's daemon",
  description:
    "The process gets `grace_ms` (10 s) to end its current message, which is handled again after a start if that was too short. The stop holds: messages are refused (409 `daemon_stopped`) until somebody starts the daemon. Messages in the mailbox wait for that.",
  request: {
    params: daemonParams,
    query: waitQuery,
    body: daemonSettings
      .pick({ grace_ms: true })
      .optional()
      .meta({ id: "DaemonStop", example: { grace_ms: 5000 } }),
  },
  errors: ["agent_not_found", "too_many_streams"],
  responses: { 200: { description: "The daemon, and whether anything changed", schema: daemonControlled } },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "leaving">,
    { params, query, body, caller, holdOpen },
  ) {
    if (query.wait > 0) holdOpen();
    await readDaemonOf(ctx, params.agent_id, caller.owner);
    const act = { ...body, action: "stop" } as const;
    return { status: 200, body: await actOnDaemon(ctx, params.agent_id, act, query.wait * 1000) };
  },
});
