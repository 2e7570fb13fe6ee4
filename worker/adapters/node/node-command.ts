import { dirname } from "node:path";
import type { SandboxCommand } from "../../sandbox/process.ts";

/** `typeStripper`: what makes JavaScript of TypeScript, shown to the sandbox read-only. */
export type NodeRuntime = { path: string; typeStripper: string };

const megabyte = 1024 * 1024;

/** How Node is started on a program of `readProgram`. V8 gives up by itself before the sandbox's limit ends it without a word. */
export function nodeCommand(
  { path, typeStripper }: NodeRuntime,
  program: string,
  resources: SandboxCommand["resources"],
): Omit<SandboxCommand, "egress"> {
  const heap = Math.floor((resources.memory_bytes / megabyte) * 0.75);
  return {
    argv: [path, `--max-old-space-size=${heap}`, "--no-warnings", "--input-type=module", "-e", program],
    env: {},
    readOnly: [path, dirname(typeStripper)],
    resources,
    reservesAddresses: true,
  };
}
