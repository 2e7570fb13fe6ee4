import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { SandboxCommand } from "../../sandbox/process.ts";

/** What makes JavaScript of TypeScript: one WebAssembly file without dependencies, shown to the sandbox read-only. */
export const typeStripper = fileURLToPath(import.meta.resolve("@swc/wasm-typescript"));
const megabyte = 1024 * 1024;

/** How `node` is started on a program of `readProgram`. V8 gives up by itself before the sandbox's limit ends it without a word. */
export function nodeCommand(
  node: string,
  program: string,
  resources: SandboxCommand["resources"],
): Omit<SandboxCommand, "egress"> {
  const heap = Math.floor((resources.memory_bytes / megabyte) * 0.75);
  return {
    argv: [node, `--max-old-space-size=${heap}`, "--no-warnings", "--input-type=module", "-e", program],
    env: {},
    readOnly: [node, dirname(typeStripper)],
    resources,
    reservesAddresses: true,
  };
}
