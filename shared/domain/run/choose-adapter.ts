import { readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";

/** Returns the adapter of a run: that of the request, else that of the version's config, else `python`. */
export function chooseAdapter(
  request: Pick<ExecuteRequest, "adapter_type">,
  version: { config: Record<string, unknown> },
): NonNullable<ExecuteRequest["adapter_type"]> {
  return request.adapter_type ?? readConfig(version.config).adapter_type ?? "python";
}
