import { conflict, notFound } from "../../domain/errors/app-error.ts";
import { UncheckedFault, ValidationFault } from "../../domain/errors/validation-fault.ts";
import { applyDefaults } from "../../domain/json/apply-defaults.ts";
import { adapterFaults } from "../../domain/run/choose-adapter.ts";
import { runtimeModeFaults } from "../../domain/run/choose-runtime-mode.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import { readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { MissingVersion, ResolvedVersion } from "../../store/agents/resolve-version.ts";

/** The codes that `checkVersion` throws. */
export const versionErrors = ["agent_not_found", "version_not_found", "agent_not_active", "version_archived"] as const;

/**
 * Returns the version if it accepts the request. Throws not_found, conflict when the agent or its version accepts no runs, and
 * ValidationFault when the request names another adapter or a wider mode than the version, or the input does not match its
 * `input_schema`; UncheckedFault when there was no time to check the input. `inputField`: what the client calls the input.
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
  const { input_schema } = readConfig(version.config);
  const faults = input_schema
    ? await jsonSchemas.faultsOf(version.user_id, input_schema, applyDefaults(input_schema, request.input_payload))
    : [];
  if ("unchecked" in faults) throw new UncheckedFault(["body", inputField], faults.unchecked);
  if (faults.length === 0) return version;
  throw new ValidationFault(faults.map(({ type, loc, msg }) => ({ type, loc: ["body", inputField, ...loc], msg })));
}
