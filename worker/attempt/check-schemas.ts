import { applyDefaults } from "../../shared/domain/json/apply-defaults.ts";
import { journalLimits } from "../../shared/domain/run/journal-limits.ts";
import { requestLimits } from "../../shared/domain/run/request-limits.ts";
import { checkPatiently, isUnchecked } from "../../shared/platform/json-schema/check-patiently.ts";
import type { JsonSchemas, Unchecked } from "../../shared/platform/json-schema/json-schemas.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { resultContent } from "./decide-ending.ts";

/**
 * Checks what an agent returned by its version's `output_schema`, the `response_schema` of a question that it asks, and the input with
 * which it goes on by its `input_schema`.
 * Returns the error that names the first places, or says why there was no time for the check until `signal`; null when nothing is wrong.
 */
export async function checkSchemas(
  { result, error, interrupt, continues_with, continued, outputs }: AttemptResult,
  { user_id, config: { input_schema, output_schema } }: Attempt,
  jsonSchemas: Pick<JsonSchemas, "faultsOf" | "schemaFault">,
  signal: AbortSignal,
): Promise<RunError | null> {
  const schemas = checkPatiently(jsonSchemas, signal);
  const faultsOf: FaultsOf = async (schema, value) => (schema ? schemas.faultsOf(user_id, schema, value) : []);
  if (result) return checkResult(resultContent(result.result_content, outputs), output_schema, faultsOf);
  if (error) return null;
  if (continues_with)
    return continued < journalLimits.continuations ? checkInput(continues_with, input_schema, faultsOf) : tooOften;
  if (!interrupt?.response_schema) return null;
  const fault = await schemas.schemaFault(user_id, interrupt.response_schema);
  if (fault === null) return null;
  const why = isUnchecked(fault) ? `it could not be compiled: ${fault.unchecked}` : fault;
  const message = `The response_schema of the agent's question can't be used: ${why}.`;
  return { code: "agent_error", type: "InvalidSchema", message, traceback: null };
}

type Schema = Record<string, unknown> | undefined;
type Fault = { loc: readonly (string | number)[]; msg: string };
/** Without a schema there are none. */
type FaultsOf = (schema: Schema, value: unknown) => Promise<readonly Fault[] | Unchecked>;

async function checkResult(content: unknown, schema: Schema, faultsOf: FaultsOf): Promise<RunError | null> {
  const faults = await faultsOf(schema, content);
  const refused = (message: string): RunError => ({ code: "output_schema", type: null, message, traceback: null });
  if ("unchecked" in faults)
    return refused(`The result could not be checked by the agent's output_schema: ${faults.unchecked}.`);
  if (faults.length === 0) return null;
  return refused(`The result breaks the agent's output_schema. ${placesOf("result_content", faults)}`);
}

/** The same rules as for a request's input. */
async function checkInput(
  input: Record<string, unknown>,
  schema: Schema,
  faultsOf: FaultsOf,
): Promise<RunError | null> {
  const refused = (why: string): RunError => ({
    code: "invalid_input",
    type: null,
    message: `The input of continue_as() ${why}`,
    traceback: null,
  });
  if (Buffer.byteLength(JSON.stringify(input)) > requestLimits.input_bytes)
    return refused(`is longer than ${requestLimits.input_bytes} bytes.`);
  const faults = await faultsOf(schema, schema ? applyDefaults(schema, input) : input);
  if ("unchecked" in faults) return refused(`could not be checked by the agent's input_schema: ${faults.unchecked}.`);
  return faults.length > 0 ? refused(`breaks the agent's input_schema. ${placesOf("input_payload", faults)}`) : null;
}

const placesOf = (what: string, faults: readonly Fault[]): string =>
  faults
    .slice(0, 5)
    .map(({ loc, msg }) => `${[what, ...loc].join(".")}: ${msg}`)
    .join("; ");

const tooOften: RunError = {
  code: "journal_full",
  type: null,
  message: `The run has called continue_as() ${journalLimits.continuations} times, which is the most that a run may.`,
  traceback: null,
};
