import { readFileSync } from "node:fs";
import { runtimeFile } from "../runtime-file.ts";
import type { SandboxCommand } from "../../sandbox/process.ts";
import type { Python } from "../../sandbox/sandbox.ts";

/** The programs of runtime/python, each with the file descriptor that it reads the runtime's code and its input from. */
const programs = { once: 0, daemon: 0, session: 0, pid_1: 5 } as const;

/** Returns the command line of one of the programs. Python starts without `site`, for speed. */
export function pythonArgv(python: Python, program: keyof typeof programs): SandboxCommand["argv"] {
  const boot = readFileSync(runtimeFile("python/boot.py"), "utf8");
  return [python.path, "-I", "-S", "-X", "utf8", "-c", boot, program, String(programs[program])];
}

/** Returns the length of the runtime's code, as `boot.py` reads it. */
export const runtimeHead = (runtime: Buffer): string => String(runtime.length).padStart(8, "0");

/** Where an agent's Python finds packages: its virtual environment, and what the agent requires. */
export type Site = { venv: string | null; packages: string | null };

/** Returns the directories of a site, which its sandbox may read. */
export const readOnlyPaths = ({ venv, packages }: Site): string[] => [venv, packages].filter((path) => path !== null);
