import type { AgentConfig } from "../../schemas/agent-config.ts";
import { defaultFiles } from "../run/default-files.ts";
import { adapterOf } from "../run/run-modes.ts";
import { languageOf, scriptEnding } from "./agent-language.ts";
import { codeOf } from "./code-of.ts";

/** Returns the adapter whose workers build a version: its packages, or a bundle. Null: it is run as it is. */
export function builderOf(config: AgentConfig): "python" | "node" | null {
  const { adapter_type = "python", requirements = [] } = config;
  if (needsBundle(config)) return "node";
  return adapterOf(adapter_type) === "python" && requirements.length > 0 ? "python" : null;
}

/**
 * True for a Node agent whose code isn't what Node runs at once: TypeScript, JSX, modules that import each other, or packages.
 * A request may choose the adapter of a config that names none: such code is run as it is.
 */
function needsBundle(config: AgentConfig): boolean {
  if (config.adapter_type !== "node" || languageOf(config) !== "node") return false;
  const names = Object.keys(codeOf(config, defaultFiles("node")[0] ?? ""));
  const scripts = names.filter((name) => scriptEnding.test(name) && !name.split("/").includes("node_modules"));
  if (scripts.length === 0) return false;
  return scripts.length > 1 || names.includes("package.json") || scripts.some((name) => /(ts|tsx|jsx)$/.test(name));
}
