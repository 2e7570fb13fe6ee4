import { newRun } from "../../shared/services/runs/new-run.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import type { NewRun } from "../../shared/store/runs/insert-run.ts";
import type { RepeatKey } from "../../shared/store/users/idempotency-keys.ts";
import { wakeDaemon } from "../../shared/services/daemons/wake-daemon.ts";
import type { ApiContext } from "../context.ts";
import { checkAcceptable } from "./check-acceptable.ts";
import type { ResolveVersion, ViewedVersion } from "./version-view.ts";
import { chooseRunId } from "./choose-run-id.ts";

export type Origin = {
  owner: Owner;
  traceparent: string | null;
  /** Requests with the same one share a run. */
  key: RepeatKey | null;
  /** The run that this one repeats. */
  replay_of?: string;
};

/**
 * The row that a request becomes, once everything about it was checked; what is remembered of its agent Postgres checks when
 * the row is inserted. Starts the daemon that it is for.
 */
export async function prepareRun(
  ctx: ApiContext,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  origin: Origin,
): Promise<NewRun> {
  const version = await chooseAcceptable(ctx, resolve, request, origin.owner);
  const { agent_id, run_id: given = null } = request;
  const position = await ctx.admission.admit({ user_id: version.user_id, agent_id, run_id: given, key: origin.key });
  // Before the commit: a run that stands has somebody to take it.
  if (request.lifecycle === "daemon") await wakeDaemon(ctx, { agent_id, ...version });
  const run_id = await chooseRunId(ctx.db, request, origin.key);
  return newRun(ctx.config.encryptionKeys, {
    request,
    version,
    run_id,
    position,
    traceparent: origin.traceparent,
    origin: origin.replay_of === undefined ? "api" : "replay",
    replay_of: origin.replay_of ?? null,
  });
}

/** What is remembered may be outdated: a request that it would refuse is judged by what holds now, where that differs. */
async function chooseAcceptable(
  ctx: ApiContext,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  owner: Owner,
): Promise<ViewedVersion> {
  let seen: ViewedVersion | null = null;
  const noting: ResolveVersion = async (...asked) => {
    const found = await resolve(...asked);
    if (!("missing" in found)) seen = found;
    return found;
  };
  try {
    return await checkAcceptable(ctx, noting, request, owner);
  } catch (error) {
    const judged = seen as ViewedVersion | null;
    if (!judged?.remembered) throw error;
    const present = await ctx.versions.resolveAnew(request.agent_id, request.version, owner);
    if (!("missing" in present) && present.revision === judged.revision) throw error;
    return checkAcceptable(ctx, () => Promise.resolve(present), request, owner);
  }
}
