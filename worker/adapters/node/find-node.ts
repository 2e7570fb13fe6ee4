import { text } from "node:stream/consumers";
import { runLimits } from "../../../shared/run/limits.ts";
import type { Log } from "../../../shared/log.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";

/** This worker's own Node, where the sandbox can run it: below a closed home it can't, and null is the answer. */
export async function findNode(sandbox: Sandbox, log: Pick<Log, "warn">): Promise<string | null> {
  const path = process.execPath;
  const fault = await tryNode(sandbox, path);
  if (fault !== null) log.warn({ reason: `${path} in the sandbox: ${fault}` }, "the adapter 'node' is not offered");
  return fault === null ? path : null;
}

async function tryNode(sandbox: Sandbox, path: string): Promise<string | null> {
  const resources = { ...runLimits, cpu_ms: 30_000 };
  try {
    const argv = [path, "--version"] as const;
    const child = await sandbox.start({ argv, env: {}, readOnly: [path], resources, reservesAddresses: true });
    child.stdin.end();
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
    return said.trim() === process.version ? null : complaint.trim();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
