import { text } from "node:stream/consumers";
import type { SandboxExit } from "../../../worker/sandbox/process.ts";
import type { Sandbox } from "../../../worker/sandbox/sandbox.ts";

const MiB = 1024 * 1024;
const resources = { memory_bytes: 512 * MiB, processes: 64, disk_bytes: 32 * MiB, cpu_ms: 20_000 };

/** Runs a program in a sandbox to its end. It may reserve addresses as V8 does. */
export async function runInside(
  sandbox: Sandbox,
  argv: [string, ...string[]],
  {
    stdin = "",
    readOnly = [],
    reservedBytes = 0,
  }: { stdin?: string; readOnly?: string[]; reservedBytes?: number } = {},
): Promise<{ out: string; err: string; exit: SandboxExit }> {
  const child = await sandbox.start({ argv, env: {}, readOnly, reservedBytes, resources });
  child.stdin.end(stdin);
  child.events.resume();
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
  return { out, err, exit };
}
