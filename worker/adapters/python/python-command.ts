import type { SandboxCommand } from "../../sandbox/process.ts";
import type { Python } from "../../sandbox/sandbox.ts";

/** How Python is started on one of our bootstraps: without `site`, for speed. */
export function pythonArgv(python: Python, bootstrap: string): SandboxCommand["argv"] {
  return [python.path, "-I", "-S", "-X", "utf8", "-c", bootstrap];
}

/** What of an agent's own packages a sandbox is shown. */
export const visible = (packages: string | null): string[] => (packages === null ? [] : [packages]);
