import { conflict, notFound, unavailable } from "../../shared/errors.ts";
import { agentConfig } from "../../shared/schemas/agent-config.ts";
import type { ExecuteRequest } from "../../shared/schemas/execute-request.ts";
import { type ResolvedVersion, resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { mayUseThread } from "../../shared/store/threads/may-use-thread.ts";
import { ValidationFault } from "../../shared/validation-fault.ts";
import type { ApiContext } from "../context.ts";
import { checkRequest } from "../../shared/check-request.ts";

type Deps = Pick<ApiContext, "config" | "db" | "fleet" | "jsonSchemas">;

/** The version that a request runs, if it would be accepted now; else it throws what the client is told. */
export async function checkAcceptable(
  { config, db, fleet, jsonSchemas }: Deps,
  request: ExecuteRequest,
  owner: Owner,
): Promise<ResolvedVersion> {
  checkRequest(request, config.callbacks.allowCidrs);
  const { agent_id, adapter_type, lifecycle, thread_id } = request;
  const version = await resolveVersion(db, agent_id, request.version, owner);
  if ("missing" in version)
    throw version.missing === "agent" ? notFound("agent", agent_id) : notFound("version", request.version);
  if (version.status !== "active") throw conflict("agent_not_active", `The agent is ${version.status}.`);
  if (version.version_status === "archived")
    throw conflict("version_archived", `Version '${version.version}' is archived.`);
  const { input_schema } = agentConfig.parse(version.config);
  const faults = input_schema ? jsonSchemas.faultsOf(input_schema, request.input_payload) : [];
  if (faults.length > 0)
    throw new ValidationFault(
      faults.map(({ type, loc, msg }) => ({ type, loc: ["body", "input_payload", ...loc], msg })),
    );
  if (!(await fleet.offers(adapter_type)))
    throw unavailable("no_worker", `No live worker offers the adapter '${adapter_type}'.`, 5);
  if (lifecycle !== "serverless" && !(await fleet.offers(`${lifecycle}:${adapter_type}`)))
    throw unavailable("lifecycle_unavailable", `No live worker offers the lifecycle '${lifecycle}'.`, 60);
  if (thread_id != null && !(await mayUseThread(db, thread_id, owner))) throw notFound("thread", thread_id);
  return version;
}
