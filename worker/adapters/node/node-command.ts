import { dirname } from "node:path";
import type { SandboxCommand } from "../../sandbox/process.ts";

/** `typeStripper`: the path of the module that turns TypeScript into JavaScript. The sandbox sees it read-only. */
export type NodeRuntime = { path: string; typeStripper: string };

const megabyte = 1024 * 1024;
/**
 * V8's ranges for machine code: of the program and of two threads, since one may begin while another ends. Since Node 24 they are
 * writable from the start, so the kernel counts them as data.
 */
export const codeRangeBytes = Number.parseInt(process.versions.node, 10) > 22 ? 3 * 512 * megabyte : 0;

/**
 * Returns the command that runs a program of `readProgram`. The heap's limit is below the sandbox's: V8 then reports that it is
 * out of memory, before the kernel kills the process without a message.
 */
export function nodeCommand(
  { path, typeStripper }: NodeRuntime,
  program: string,
  resources: SandboxCommand["resources"],
): Omit<SandboxCommand, "egress"> {
  const heap = Math.floor((resources.memory_bytes / megabyte) * 0.75);
  return {
    argv: [path, `--max-old-space-size=${heap}`, "--no-warnings", "-e", program],
    // The runtime has a way of its own to the proxy, which tells why there is none.
    env: { NODE_USE_ENV_PROXY: "0" },
    readOnly: [path, dirname(typeStripper)],
    resources,
    reservedBytes: codeRangeBytes,
  };
}
