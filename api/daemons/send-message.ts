import { chooseAdapter } from "../../shared/domain/run/choose-adapter.ts";
import { conflict, notFound, unavailable } from "../../shared/domain/errors/app-error.ts";
import { newId } from "../../shared/platform/ids.ts";
import { checkRunId } from "../../shared/services/runs/check-run-id.ts";
import { checkVersion } from "../../shared/services/runs/check-version.ts";
import { newRun } from "../../shared/services/runs/new-run.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { executeRequest } from "../../shared/schemas/execute-request.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import { insertRun } from "../../shared/store/runs/queue/insert-run.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { wakeDaemon } from "../../shared/services/daemons/wake-daemon.ts";
import type { ApiContext } from "../context.ts";

export type DaemonMessage = {
  agent_id: string;
  payload: Record<string, unknown>;
  /** The id of the message, if the client chose one. The same id with the same payload is the same message. */
  run_id: string | null;
  traceparent: string | null;
  /** Who sends it. */
  actor: string;
};

/** Inserts a message as a queued run; a daemon's mailbox is its agent's queued runs. Starts the daemon if it is stopped. */
export async function sendMessage(
  ctx: Pick<ApiContext, "config" | "db" | "streams" | "fleet" | "capacity" | "jsonSchemas">,
  { agent_id, payload, run_id, traceparent, actor }: DaemonMessage,
): Promise<{ run_id: string; changed: boolean }> {
  if (Buffer.byteLength(JSON.stringify(payload)) > requestLimits.input_bytes)
    throw new ValidationFault([
      {
        type: "value_error",
        loc: ["body", "payload"],
        msg: `Value error, must be at most ${requestLimits.input_bytes} bytes`,
      },
    ]);
  const version = await resolveVersion(ctx.db, agent_id, "current", null);
  if ("missing" in version) throw notFound("agent", agent_id);
  if (version.status !== "active")
    throw conflict("agent_not_active", `The agent is ${version.status} and takes no messages. Resume it first.`);
  const adapter_type = chooseAdapter({}, version);
  const request = executeRequest.parse({
    agent_id,
    version: "current",
    input_payload: payload,
    adapter_type,
    lifecycle: "daemon",
    ...(run_id === null ? {} : { run_id }),
  });
  await checkVersion(ctx.jsonSchemas, request, version, "payload");
  if (!(await ctx.fleet.offers(`daemon:${adapter_type}`)))
    throw unavailable("no_worker", `No live worker offers daemons of the adapter '${adapter_type}'.`, 5);
  const asked = { user_id: version.user_id, agent_id, run_id, key: null };
  const { position, bounds } = await ctx.capacity.reserve(asked);
  await wakeDaemon(ctx, { agent_id, ...version });
  const material = {
    request,
    version,
    run_id: run_id ?? newId("run"),
    traceparent,
    position,
    bounds,
    origin: "daemon",
    by: actor,
    replay_of: null,
  } as const;
  const run = newRun(ctx.config.encryptionKeys, material);
  const insertion = await insertRun(ctx.db, run, null);
  checkRunId(insertion, run);
  await ctx.streams.signalDaemons("mail", agent_id).catch(() => undefined);
  return { run_id: run.id, changed: insertion.kind === "inserted" };
}
