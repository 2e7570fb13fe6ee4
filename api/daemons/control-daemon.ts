import { daemonControl, daemonControlled } from "../../shared/schemas/daemon.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { actOnDaemon, showDaemon } from "./act-on-daemon.ts";
import { readDaemonOf } from "./await-daemon.ts";
import { daemonParams, messageErrors, waitQuery } from "./daemon-request.ts";
import { awaitMessage } from "./await-message.ts";
import { sendMessage } from "./send-message.ts";

export const controlDaemon = defineOperation({
  method: "post",
  path: "/v1/daemon/{agent_id}/control",
  name: "control_daemon",
  area: "Daemons",
  scope: "daemons:write",
  audit: { target: "agent", detail: ({ body: { action } }) => (action === "status" ? null : { action }) },
  ignores: "unknown_fields",
  summary: "Control an agent's daemon",
  description:
    "An action sets the desired state and can be repeated: `changed: false` means that the state was desired already. The answer comes at once; with `?wait=N` it comes when the state is reached, after at most N seconds. A second restart during a restart changes nothing. `kill` stops without a grace period. `pause` stops handing messages over, while the process keeps running. `message` sends a payload as a run and starts the daemon if it is stopped.",
  request: { params: daemonParams, query: waitQuery, body: daemonControl },
  errors: ["version_not_found", ...messageErrors, "too_many_streams"],
  responses: { 200: { description: "The daemon, and whether anything changed", schema: daemonControlled } },
  async handle(
    ctx: Pick<ApiContext, "config" | "db" | "streams" | "hub" | "fleet" | "capacity" | "jsonSchemas" | "leaving">,
    { params, query, body, traceparent, caller, holdOpen },
  ) {
    if (query.wait > 0) holdOpen();
    const { agent_id } = params;
    await readDaemonOf(ctx, agent_id, caller.owner);
    const { action, payload, agent_id: named, ...settings } = body;
    if (named !== agent_id) throw otherAgent();
    const waitMs = query.wait * 1000;
    if (action === "status") return { status: 200, body: await showDaemon(ctx, agent_id) };
    if (action !== "message")
      return { status: 200, body: await actOnDaemon(ctx, agent_id, { ...settings, action }, waitMs) };
    const message = {
      agent_id,
      payload: payload ?? {},
      run_id: null,
      traceparent: traceparent ?? null,
      actor: caller.actor,
    };
    const { run_id, changed } = await sendMessage(ctx, message);
    await awaitMessage(ctx, run_id, waitMs);
    return { status: 200, body: { ...(await showDaemon(ctx, agent_id)), action, changed, run_id } };
  },
});

const otherAgent = () =>
  new ValidationFault([
    { type: "value_error", loc: ["body", "agent_id"], msg: "Value error, must be the same as in the path" },
  ]);
