import { daemonRecord, daemonSettings } from "../../shared/schemas/daemon.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { actOnDaemon } from "./act-on-daemon.ts";
import { waitQuery } from "./daemon-request.ts";

export const createDaemon = defineOperation({
  method: "post",
  path: "/v1/daemons",
  name: "create_daemon",
  area: "Daemons",
  scope: "daemons:write",
  audit: { target: "agent", detail: (_input, { version }) => ({ version }) },
  summary: "Start the daemon of an agent",
  description:
    "The same as `POST /v1/daemon/{agent_id}/start`, with the agent named in the body: 201 when this request started the daemon.",
  request: {
    query: waitQuery,
    body: daemonSettings
      .extend({ agent_id: clientId() })
      .meta({ id: "NewDaemon", example: { agent_id: "hello-agent", version: "current" } }),
  },
  errors: ["agent_not_found", "version_not_found", "too_many_daemons", "too_many_streams"],
  responses: {
    200: { description: "The daemon is started already", schema: daemonRecord },
    201: { description: "The daemon is being started", schema: daemonRecord },
  },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "leaving">,
    { query, body: { agent_id, ...settings }, caller, holdOpen },
  ) {
    if (query.wait > 0) holdOpen();
    await readDaemonOf(ctx, agent_id, caller.owner);
    const { changed, daemon } = await actOnDaemon(ctx, agent_id, { ...settings, action: "start" }, query.wait * 1000);
    return changed ? { status: 201, body: daemon } : { status: 200, body: daemon };
  },
});
