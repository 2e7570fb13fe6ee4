import { text } from "node:stream/consumers";
import { runLimits } from "../../../shared/run/limits.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** This worker's own Node, where the sandbox can run it: below a closed home it can't. */
export async function findNode(sandbox: Sandbox): Promise<{ path: string } | { reason: string }> {
  const path = process.execPath;
  const resources = { ...runLimits, cpu_ms: 30_000 };
  try {
    const argv = [path, "--version"] as const;
    const child = await sandbox.start({ argv, env: {}, readOnly: [path], resources, reservesAddresses: true });
    child.stdin.end();
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
    return said.trim() === process.version ? { path } : { reason: `${path} in the sandbox: ${complaint.trim()}` };
  } catch (error) {
    return { reason: `${path} in the sandbox: ${error instanceof Error ? error.message : String(error)}` };
  }
}
