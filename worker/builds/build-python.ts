import { readConfig } from "../../shared/schemas/agent-config.ts";
import type { ClaimedBuild } from "../../shared/store/builds/claim-build.ts";
import type { BuildEnding } from "../../shared/store/builds/end-build.ts";
import type { Environments } from "../environments/environments.ts";
import { WorkerFault } from "../worker-fault.ts";

type Watch = { signal: AbortSignal; onLine: (line: string) => void };

/**
 * Resolves and installs what a Python agent requires. The lock is what all runs of the version are given, on every worker.
 * Rejects with `WorkerFault` or `SandboxUnavailable`.
 */
export async function buildPython(
  environments: Pick<Environments, "lock">,
  { config, user_id }: Pick<ClaimedBuild, "config" | "user_id">,
  watch: Watch,
): Promise<BuildEnding> {
  const { requirements = [] } = readConfig(config);
  const locked = await environments.lock({ requirements, owner: user_id, ...watch });
  if ("lock" in locked) return { output: null, lock: locked.lock };
  if (locked.ofWorker) throw new WorkerFault(locked.fault);
  return { error: `The requirements could not be installed: ${locked.fault}` };
}
