import { notFound, unavailable } from "../../domain/errors/app-error.ts";
import { chooseAdapter } from "../../domain/run/choose-adapter.ts";
import type { Config } from "../../platform/config/load-config.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { Db } from "../../store/client.ts";
import type { Owner } from "../../store/owned-by.ts";
import { mayUseThread } from "../../store/threads/may-use-thread.ts";
import { checkRequest } from "./check-request.ts";
import { checkVersion, versionErrors } from "./check-version.ts";
import type { FleetView } from "./fleet-view.ts";
import type { CachedVersion, ResolveVersion } from "./version-cache.ts";

/** The codes that `checkAcceptable` throws. */
export const acceptableErrors = [...versionErrors, "no_worker", "lifecycle_unavailable", "thread_not_found"] as const;

export type AcceptableDeps = { config: Pick<Config, "callbacks">; db: Db; fleet: FleetView; jsonSchemas: JsonSchemas };

/** Returns the version that the request would run. Throws the client's error when the request is not acceptable. */
export async function checkAcceptable(
  { config, db, fleet, jsonSchemas }: AcceptableDeps,
  resolve: ResolveVersion,
  request: ExecuteRequest,
  owner: Owner,
): Promise<CachedVersion> {
  checkRequest(request, config.callbacks.allowCidrs);
  const version = await checkVersion(jsonSchemas, request, await resolve(request.agent_id, request.version, owner));
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
