import { text } from "node:stream/consumers";
import { runLimits } from "../../../shared/domain/run/limits.ts";
import type { Log } from "../../../shared/platform/log.ts";
import { ownFolder } from "../../environments/own-folder.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { NodeRuntime } from "./node-command.ts";
import { placeTypeStripper } from "./place-type-stripper.ts";

type FindOptions = {
  sandbox: Sandbox;
  /** Where a file can be put that every user may read. */
  directory: string;
  log: Pick<Log, "warn">;
};

/** This worker's own Node, where the sandbox can run it: below a closed home it can't, and null is the answer. */
export async function findNode({ sandbox, directory, log }: FindOptions): Promise<NodeRuntime | null> {
  const path = process.execPath;
  const fault = ownFolder(directory) ?? (await tryNode(sandbox, path));
  if (fault === null) return { path, typeStripper: placeTypeStripper(directory) };
  log.warn({ reason: `${path} in the sandbox: ${fault}` }, "the adapter 'node' is not offered");
  return null;
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
