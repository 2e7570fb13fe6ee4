import { scriptEnding } from "../../shared/domain/agent/agent-language.ts";
import { codeOf } from "../../shared/domain/agent/code-of.ts";
import type { AgentConfig } from "../../shared/schemas/agent-config.ts";
import type { BuildOutput } from "../../shared/schemas/build.ts";

/** Returns a version's code and entrypoint: what its build made, beside the files that are no TypeScript, or the config's own. */
export function versionCode(
  config: AgentConfig,
  output: BuildOutput | null,
  defaultName: string,
): { code: Record<string, string>; entrypoint: string | undefined } {
  const own = codeOf(config, defaultName);
  if (output === null) return { code: own, entrypoint: config.entrypoint };
  // Types would have to be stripped by each run.
  const kept = Object.entries(own).filter(([name]) => !scriptEnding.test(name) || /\.[mc]?js$/.test(name));
  return { code: { ...Object.fromEntries(kept), ...output.files }, entrypoint: output.entrypoint };
}
