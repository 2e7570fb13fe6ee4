import { daemonRecord } from "../../shared/schemas/daemon.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { daemonParams } from "./daemon-request.ts";

export const getDaemonStatus = defineOperation({
  method: "get",
  path: "/v1/daemon/{agent_id}/status",
  name: "get_daemon_status",
  area: "Daemons",
  scope: "daemons:read",
  summary: "An agent's daemon",
  description: "Use it to poll one daemon. `GET /v1/daemon/{agent_id}/stream` tells each change as it happens.",
  request: { params: daemonParams },
  responses: { 200: { description: "The daemon; `stopped` if it was never started", schema: daemonRecord } },
  async handle(ctx: Pick<ApiContext, "db">, { params, caller }) {
    return { status: 200, body: await readDaemonOf(ctx, params.agent_id, caller.owner) };
  },
});
