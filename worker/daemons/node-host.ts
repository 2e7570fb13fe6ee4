import { nodeCommand, type NodeRuntime } from "../adapters/node/node-command.ts";
import { readProgram } from "../adapters/node/read-program.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type DaemonHost, endlessCpuMs } from "./daemon-host.ts";

/** Starts long-lived Node processes. */
export function createNodeHost(sandbox: Sandbox, node: NodeRuntime): DaemonHost {
  const program = readProgram("daemon");
  return async ({ resources, egress, packages: _packages, ...start }) => {
    const command = nodeCommand(node, program, { ...resources, cpu_ms: endlessCpuMs });
    const child = await sandbox.start({ ...command, egress });
    child.stdin.write(`${JSON.stringify({ ...start, type_stripper: node.typeStripper })}\n`);
    return child;
  };
}
