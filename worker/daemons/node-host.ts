import { nodeCommand, typeStripper } from "../adapters/node/node-command.ts";
import { readProgram } from "../adapters/node/read-program.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type DaemonHost, endlessCpuMs } from "./daemon-host.ts";

/** Runs Node processes that stay. */
export function createNodeHost(sandbox: Sandbox, node: string): DaemonHost {
  const program = readProgram("daemon");
  return async ({ resources, egress, packages: _packages, ...start }) => {
    const command = nodeCommand(node, program, { ...resources, cpu_ms: endlessCpuMs });
    const child = await sandbox.start({ ...command, egress });
    child.stdin.write(`${JSON.stringify({ ...start, type_stripper: typeStripper })}\n`);
    return child;
  };
}
