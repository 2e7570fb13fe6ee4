import { readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";

/** What a run is executed by: the adapter that its request names, or its version's config, or else `python`. */
export function chooseAdapter(
  request: Pick<ExecuteRequest, "adapter_type">,
  version: { config: Record<string, unknown> },
): NonNullable<ExecuteRequest["adapter_type"]> {
  return request.adapter_type ?? readConfig(version.config).adapter_type ?? "python";
}
