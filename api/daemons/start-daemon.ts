import { daemonControlled, daemonSettings } from "../../shared/schemas/daemon.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { actOnDaemon } from "./act-on-daemon.ts";
import { daemonParams, waitQuery } from "./daemon-request.ts";

export const startDaemon = defineOperation({
  method: "post",
  path: "/v1/daemon/{agent_id}/start",
  name: "start_daemon",
  area: "Daemons",
  scope: "daemons:write",
  audit: { target: "agent", detail: (_input, { changed, daemon }) => ({ changed, version: daemon.version }) },
  summary: "Start an agent's daemon",
  description:
    "Use it to start a daemon before its first message, with its own variables or another version, and after somebody stopped it: a stopped daemon takes no messages. A started one is unchanged.",
  request: {
    params: daemonParams,
    query: waitQuery,
    body: daemonSettings
      .optional()
      .meta({ id: "DaemonSettings", example: { version: "current", env_vars: { GREETING: "Hello" } } }),
  },
  errors: ["agent_not_found", "version_not_found", "too_many_daemons", "too_many_streams"],
  responses: { 200: { description: "The daemon, and whether anything changed", schema: daemonControlled } },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "leaving">,
    { params, query, body, caller, holdOpen },
  ) {
    if (query.wait > 0) holdOpen();
    await readDaemonOf(ctx, params.agent_id, caller.owner);
    const act = { ...body, action: "start" } as const;
    return { status: 200, body: await actOnDaemon(ctx, params.agent_id, act, query.wait * 1000) };
  },
});
