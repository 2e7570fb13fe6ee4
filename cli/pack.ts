import { readRequirements } from "./read-requirements.ts";
import { readFolder } from "./read-folder.ts";
import type { Project } from "./settings.ts";

/** Returns the config of a folder's agent: its files, what runfleet.json says, and what the package files name. */
export function pack(folder: string, project: Project): Record<string, unknown> {
  const files = readFolder(folder, project.ignore ?? []);
  const { adapter_type, entrypoint, requirements, ...more } = project.config ?? {};
  const start = project.entrypoint ?? entrypoint ?? guessEntrypoint(files);
  const adapter = adapter_type ?? adapterOf(start);
  const packages = requirements ?? (adapter === "python" ? readRequirements(folder) : undefined);
  return {
    adapter_type: adapter,
    ...(start === undefined ? {} : { entrypoint: start }),
    ...(packages === undefined ? {} : { requirements: packages }),
    ...more,
    files,
  };
}

function guessEntrypoint(files: Record<string, string>): string | undefined {
  const usual = [
    "main.py",
    "main.ts",
    "main.js",
    "main.mjs",
    "src/main.py",
    "src/main.ts",
    "src/index.ts",
    "index.ts",
    "index.js",
  ];
  return usual.find((name) => Object.hasOwn(files, name));
}

const adapterOf = (entrypoint: unknown): string =>
  typeof entrypoint === "string" && /\.[mc]?[jt]sx?(:|$)/.test(entrypoint) ? "node" : "python";
