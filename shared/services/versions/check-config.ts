import { envFaults } from "../../domain/agent/env-faults.ts";
import { fileFaults } from "../../domain/agent/file-faults.ts";
import type { SourceChecker } from "../../platform/source-check/source-checker.ts";
import { codeFaults } from "./check-code.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import { requirementsFault } from "../../domain/agent/requirement.ts";
import { type AgentConfig, agentConfig } from "../../schemas/agent-config.ts";
import { type FaultItem, ValidationFault } from "../../domain/errors/validation-fault.ts";

export type CheckDeps = { jsonSchemas: JsonSchemas; sources: SourceChecker };

/** Checks the known keys of an agent's config and its code, so that a mistake shows before a run does. Throws ValidationFault. */
export async function checkConfig(
  { jsonSchemas, sources }: CheckDeps,
  owner: string,
  config: Record<string, unknown>,
): Promise<void> {
  const parsed = agentConfig.safeParse(config);
  const faults = parsed.success
    ? [
        await schemaFault(jsonSchemas, owner, "input_schema", parsed.data),
        await schemaFault(jsonSchemas, owner, "output_schema", parsed.data),
        envFaults(parsed.data.env ?? {}, ["config", "env"]),
        requirementFaults(parsed.data.requirements ?? []),
        fileFaults(parsed.data.files ?? {}).map(({ name, message }) => fault(["files", name], message)),
        await codeFaults(sources, owner, parsed.data),
      ].flat()
    : parsed.error.issues.map(({ path, message }) =>
        fault(
          path.map((key) => (typeof key === "number" ? key : String(key))),
          message,
        ),
      );
  if (faults.length > 0) throw new ValidationFault(faults);
}

const fault = (path: (string | number)[], message: string): FaultItem => ({
  type: "value_error",
  loc: ["body", "config", ...path],
  msg: `Value error, ${message}`,
});

/** Checked when a config is written. A stored config that is wrong fails its run. */
function requirementFaults(requirements: string[]): FaultItem[] {
  const found = requirementsFault(requirements);
  return found === null ? [] : [fault(["requirements", found.index], found.message)];
}

async function schemaFault(
  schemas: JsonSchemas,
  owner: string,
  name: "input_schema" | "output_schema",
  config: AgentConfig,
): Promise<FaultItem[]> {
  const schema = config[name];
  const found = schema && (await schemas.schemaFault(owner, schema));
  if (!found) return [];
  const why = typeof found === "string" ? found : `it could not be compiled: ${found.unchecked}`;
  return [fault([name], `not a JSON Schema: ${why}`)];
}
