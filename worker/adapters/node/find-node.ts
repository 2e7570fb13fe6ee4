import { text } from "node:stream/consumers";
import { runLimits } from "../../../shared/domain/run/run-limits.ts";
import type { Log } from "../../../shared/platform/log.ts";
import { makeOwnedFolder } from "../../environments/make-owned-folder.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { codeRangeBytes, type NodeRuntime } from "./node-command.ts";
import { copyTypeStripper } from "./copy-type-stripper.ts";
import { errorText } from "../../../shared/platform/error-text.ts";

type FindOptions = {
  sandbox: Sandbox;
  /** A directory for a file that every user may read. */
  directory: string;
  log: Pick<Log, "warn">;
};

/** Returns this worker's own Node; null where a sandbox can't run it, for example below a home directory of mode 0700. */
export async function findNode({ sandbox, directory, log }: FindOptions): Promise<NodeRuntime | null> {
  const path = process.execPath;
  const fault = makeOwnedFolder(directory) ?? (await tryNode(sandbox, path));
  if (fault === null) return { path, typeStripper: copyTypeStripper(directory) };
  log.warn({ reason: `${path} in the sandbox: ${fault}` }, "the adapter 'node' is not offered");
  return null;
}

async function tryNode(sandbox: Sandbox, path: string): Promise<string | null> {
  const resources = { ...runLimits, cpu_ms: 30_000 };
  try {
    const argv = [path, "--version"] as const;
    const child = await sandbox.start({ argv, env: {}, readOnly: [path], resources, reservedBytes: codeRangeBytes });
    child.stdin.end();
    const [said, complaint] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
    return said.trim() === process.version ? null : complaint.trim();
  } catch (error) {
    return errorText(error);
  }
}
