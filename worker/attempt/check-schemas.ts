import type { JsonSchemas } from "../../shared/platform/json-schema/json-schemas.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";
import type { Attempt } from "./attempt.ts";
import type { AttemptResult } from "./attempt-result.ts";
import { resultContent } from "./decide-ending.ts";

/**
 * Checks what an agent returned by its version's `output_schema`, and the `response_schema` of a question that it asks.
 * Returns the error that names the first places; null when nothing is wrong.
 */
export async function checkSchemas(
  { result, error, interrupt, outputs }: AttemptResult,
  { user_id, config: { output_schema } }: Attempt,
  schemas: JsonSchemas,
): Promise<RunError | null> {
  if (result && output_schema) {
    const content = resultContent(result.result_content, outputs);
    const faults = await schemas.faultsOf(user_id, output_schema, content);
    if (faults.length === 0) return null;
    const places = faults.slice(0, 5).map(({ loc, msg }) => `${["result_content", ...loc].join(".")}: ${msg}`);
    const message = `The result breaks the agent's output_schema. ${places.join("; ")}`;
    return { code: "output_schema", type: null, message, traceback: null };
  }
  if (!interrupt?.response_schema || result || error) return null;
  const fault = await schemas.schemaFault(user_id, interrupt.response_schema);
  if (fault === null) return null;
  const message = `The response_schema of the agent's question can't be used: ${fault}.`;
  return { code: "agent_error", type: "InvalidSchema", message, traceback: null };
}
