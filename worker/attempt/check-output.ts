import type { Outcome } from "../../shared/domain/run/terminal-event.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";

type Fault = { loc: (string | number)[]; msg: string };
type Schemas = { faultsOf(owner: string, schema: Record<string, unknown>, value: unknown): Promise<Fault[]> };
type Checked = { user_id: string; config: AgentConfig };

/** A success whose result isn't what the version's `output_schema` promises is an error, which names the first places. */
export async function checkOutput(
  outcome: Outcome,
  { user_id, config: { output_schema } }: Checked,
  schemas: Schemas,
): Promise<Outcome> {
  if (outcome.status !== "success" || !output_schema) return outcome;
  const faults = await schemas.faultsOf(user_id, output_schema, outcome.result_content);
  if (faults.length === 0) return outcome;
  const places = faults.slice(0, 5).map(({ loc, msg }) => `${["result_content", ...loc].join(".")}: ${msg}`);
  const message = `The result isn't what the output_schema promises. ${places.join("; ")}`;
  const error = { code: "output_schema", type: null, message, traceback: null };
  return { ...outcome, status: "error", result_content: null, error };
}
