import type { AgentConfig } from "../../schemas/agent-config.ts";
import { adapterOf } from "../run/run-modes.ts";

/** The language of an agent's code. `unknown`: the request chooses, or there is none that is checked. */
export type AgentLanguage = "python" | "node" | "unknown";

export const scriptEnding = /\.[mc]?[jt]sx?$/;

/** Returns the language of a version's code: by its adapter, by its entrypoint, or by its files. */
export function languageOf({ adapter_type, entrypoint, files = {} }: AgentConfig): AgentLanguage {
  if (adapter_type !== undefined) {
    const adapter = adapterOf(adapter_type);
    return adapter === "python" || adapter === "node" ? adapter : "unknown";
  }
  const [path = ""] = (entrypoint ?? "").split(":");
  if (scriptEnding.test(path)) return "node";
  if (path !== "") return "python";
  const names = Object.keys(files);
  const [hasPython, hasScript] = [names.some((name) => name.endsWith(".py")), names.some(isScript)];
  if (hasPython === hasScript) return "unknown";
  return hasPython ? "python" : "node";
}

const isScript = (name: string): boolean => scriptEnding.test(name);
