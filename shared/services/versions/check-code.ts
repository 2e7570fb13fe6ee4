import { type AgentLanguage, languageOf, scriptEnding } from "../../domain/agent/agent-language.ts";
import { codeOf } from "../../domain/agent/code-of.ts";
import { contradictions } from "../../domain/agent/contradictions.ts";
import { entrypointFault } from "../../domain/agent/entrypoint-fault.ts";
import { sourceText } from "../../domain/agent/source-text.ts";
import type { FaultItem } from "../../domain/errors/validation-fault.ts";
import { defaultFiles } from "../../domain/run/default-files.ts";
import type { Source, SourceChecker, SourceFault } from "../../platform/source-check/source-checker.ts";
import type { AgentConfig } from "../../schemas/agent-config.ts";

const mostFaults = 20;

/** Returns what a run of this config would fail with: keys that contradict each other, syntax errors, and an entrypoint that isn't there. */
export async function codeFaults(sources: SourceChecker, owner: string, config: AgentConfig): Promise<FaultItem[]> {
  const faults = contradictions(config).map(({ path, message }) => fault(path, message));
  const language = languageOf(config);
  const found = language === "unknown" ? await sourceFaults(sources, owner, config) : null;
  if (language === "unknown") return [...faults, ...(found ?? [])];
  const files = codeOf(config, defaultFiles(language)[0] ?? "");
  const message = entrypointFault({
    language,
    entrypoint: config.entrypoint,
    files,
    hasPackages: (config.requirements ?? []).length > 0,
  });
  if (message !== null) faults.push(fault(["entrypoint"], message));
  const wrong = await sources.faultsOf(owner, sourcesOf(language, files));
  return [...faults, ...(wrong ?? []).map((one) => syntaxFault(config, one))].slice(0, mostFaults);
}

/** The language of a lone `source` is the request's choice: it is wrong when it is no code of any language. */
async function sourceFaults(sources: SourceChecker, owner: string, config: AgentConfig): Promise<FaultItem[]> {
  const { adapter_type, source, files } = config;
  if (adapter_type !== undefined || source === undefined || files !== undefined) return [];
  const [python] = (await sources.faultsOf(owner, [{ name: "main.py", text: source }])) ?? [];
  if (!python) return [];
  const script = await sources.faultsOf(owner, [{ name: "main.ts", text: source }]);
  return script?.length === 0 ? [] : [syntaxFault(config, python)];
}

function sourcesOf(language: Exclude<AgentLanguage, "unknown">, files: Record<string, string>): Source[] {
  return Object.entries(files).flatMap(([name, content]) => {
    const isMeant = language === "python" ? name.endsWith(".py") : scriptEnding.test(name);
    if (!isMeant || name.split("/").includes("node_modules")) return [];
    const text = sourceText(content);
    return text === null ? [] : [{ name, text }];
  });
}

function syntaxFault({ files = {} }: AgentConfig, { name, line, column, message }: SourceFault): FaultItem {
  const path = Object.hasOwn(files, name) ? ["files", name] : ["source"];
  return fault(path, `${name}:${line}:${column}: syntax error: ${message}`);
}

const fault = (path: string[], message: string): FaultItem => ({
  type: "value_error",
  loc: ["body", "config", ...path],
  msg: `Value error, ${message}`,
});
