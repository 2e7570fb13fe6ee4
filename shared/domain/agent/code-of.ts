import type { AgentConfig } from "../../schemas/agent-config.ts";
import { fileNameFault } from "./file-faults.ts";

/**
 * Returns a version's code. `source` becomes the file that the entrypoint names; `defaultName`, if the entrypoint names none
 * or one of `files`.
 */
export function codeOf(
  { entrypoint, source, files = {} }: Pick<AgentConfig, "entrypoint" | "source" | "files">,
  defaultName: string,
): Record<string, string> {
  if (source === undefined) return files;
  const [named = ""] = (entrypoint ?? "").split(":");
  return { [fileNameFault(named) !== null || named in files ? defaultName : named]: source, ...files };
}
