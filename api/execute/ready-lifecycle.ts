import { unavailable } from "../../shared/errors.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { wakeDaemon } from "../../shared/wake-daemon.ts";
import type { ApiContext } from "../context.ts";

/**
 * Sees to it that somebody will take a run of this lifecycle: one for the agent's daemon starts the daemon where there is
 * none. Throws `unavailable`.
 */
export async function readyLifecycle(
  ctx: ApiContext,
  { agent_id, lifecycle, adapter_type }: ExecuteRequest,
  version: { user_id: string; version: string },
): Promise<void> {
  if (lifecycle === "serverless") return;
  if (lifecycle !== "daemon" || !(await ctx.fleet.offers(`daemon:${adapter_type}`)))
    throw unavailable("lifecycle_unavailable", `No live worker offers the lifecycle '${lifecycle}'.`, 60);
  await wakeDaemon(ctx, { agent_id, ...version });
}
