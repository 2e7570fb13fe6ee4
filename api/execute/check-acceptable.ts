import { checkRequest } from "../../shared/services/runs/check-request.ts";
import { chooseAdapter } from "../../shared/domain/run/choose-adapter.ts";
import { judgeVersion, versionErrors } from "../../shared/services/runs/choose-version.ts";
import { notFound, unavailable } from "../../shared/domain/errors/app-error.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { mayUseThread } from "../../shared/store/threads/may-use-thread.ts";
import type { ApiContext } from "../context.ts";
import type { ResolveVersion, ViewedVersion } from "./version-view.ts";

/** What `checkAcceptable` throws. */
export const acceptableErrors = [...versionErrors, "no_worker", "lifecycle_unavailable", "thread_not_found"] as const;

type Deps = Pick<ApiContext, "config" | "db" | "fleet" | "jsonSchemas">;

/** The version that a request runs, if it would be accepted now; else it throws what the client is told. */
export async function checkAcceptable(
  { config, db, fleet, jsonSchemas }: Deps,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  owner: Owner,
): Promise<ViewedVersion> {
  checkRequest(request, config.callbacks.allowCidrs);
  const version = await judgeVersion(jsonSchemas, request, await resolve(request.agent_id, request.version, owner));
  const { lifecycle, thread_id } = request;
  const adapter_type = chooseAdapter(request, version);
  if (!(await fleet.offers(adapter_type)))
    throw unavailable("no_worker", `No live worker offers the adapter '${adapter_type}'.`, 5);
  if (lifecycle !== "serverless" && !(await fleet.offers(`${lifecycle}:${adapter_type}`)))
    throw unavailable(
      "lifecycle_unavailable",
      `No live worker offers the lifecycle '${lifecycle}' of the adapter '${adapter_type}'.`,
      60,
    );
  if (thread_id != null && !(await mayUseThread(db, thread_id, owner))) throw notFound("thread", thread_id);
  return version;
}
