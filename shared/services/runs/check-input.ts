import { UncheckedFault, ValidationFault } from "../../domain/errors/validation-fault.ts";
import { applyDefaults } from "../../domain/json/apply-defaults.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import { readConfig } from "../../schemas/agent-config.ts";
import type { ResolvedVersion } from "../../store/agents/resolve-version.ts";

/**
 * Checks a run's input by the `input_schema` of the version's config. Throws ValidationFault with each place that doesn't match, and
 * UncheckedFault when there was no time to check. `inputField`: what the client calls the input.
 */
export async function checkInput(
  jsonSchemas: Pick<JsonSchemas, "faultsOf">,
  { user_id, config }: ResolvedVersion,
  input: unknown,
  inputField: string,
): Promise<void> {
  const { input_schema } = readConfig(config);
  if (!input_schema) return;
  const faults = await jsonSchemas.faultsOf(user_id, input_schema, applyDefaults(input_schema, input));
  if ("unchecked" in faults) throw new UncheckedFault(["body", inputField], faults.unchecked);
  if (faults.length === 0) return;
  throw new ValidationFault(faults.map(({ type, loc, msg }) => ({ type, loc: ["body", inputField, ...loc], msg })));
}
