import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import { adapterFaults } from "../../domain/run/choose-adapter.ts";
import { runtimeModeFaults } from "../../domain/run/choose-runtime-mode.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { MissingVersion, ResolvedVersion } from "../../store/agents/resolve-version.ts";
import { checkInput } from "./check-input.ts";

/** The codes that `checkVersion` throws. */
export const versionErrors = ["agent_not_found", "version_not_found", "agent_not_active", "version_archived"] as const;

/**
 * Returns the version if it accepts the request. Throws not_found, conflict when the agent or its version accepts no runs, and
 * ValidationFault when the request names another adapter or a wider mode than the version, and what `checkInput` throws.
 * `inputField`: what the client calls the input.
 */
export async function checkVersion<V extends ResolvedVersion>(
  jsonSchemas: Pick<JsonSchemas, "faultsOf">,
  request: ExecuteRequest,
  version: V | MissingVersion,
  inputField = "input_payload",
): Promise<V> {
  if ("missing" in version)
    throw version.missing === "agent" ? notFound("agent", request.agent_id) : notFound("version", request.version);
  if (version.status !== "active") throw conflict("agent_not_active", `The agent is ${version.status}.`);
  if (version.version_status === "archived")
    throw conflict("version_archived", `Version '${version.version}' is archived.`);
  const mismatch = [...adapterFaults(request, version), ...runtimeModeFaults(request, version)];
  if (mismatch.length > 0) throw new ValidationFault(mismatch);
  await checkInput(jsonSchemas, version, request.input_payload, inputField);
  return version;
}
