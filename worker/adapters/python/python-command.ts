import { readFileSync } from "node:fs";
import { runtimeFile } from "../runtime-file.ts";
import type { SandboxCommand } from "../../sandbox/process.ts";
import type { Python } from "../../sandbox/sandbox.ts";

/** Our programs, each with the descriptor from which it reads the runtime's code and all that follows. */
const programs = { once: 0, daemon: 0, session: 0, supervisor: 5 } as const;

/** How Python is started on one of our programs: without `site`, for speed. */
export function pythonArgv(python: Python, program: keyof typeof programs): SandboxCommand["argv"] {
  const boot = readFileSync(runtimeFile("python/boot.py"), "utf8");
  return [python.path, "-I", "-S", "-X", "utf8", "-c", boot, program, String(programs[program])];
}

/** The length of the runtime's code, as `boot.py` reads it. */
export const runtimeHead = (runtime: Buffer): string => String(runtime.length).padStart(8, "0");

/** What of an agent's own packages a sandbox is shown. */
export const visible = (packages: string | null): string[] => (packages === null ? [] : [packages]);
