import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../shared/platform/log.ts";
import { normalizeRequirements, requirementsFault } from "../../shared/domain/agent/requirement.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { BuildOptions } from "./build-environment.ts";
import { withLeases } from "./with-leases.ts";
import { partsOf } from "./layout.ts";
import { openLeases } from "./leases.ts";
import { removeAbandonedDrafts } from "./make-room.ts";
import { openInstalls, type InstallRequest, type WantedLock } from "./open-installs.ts";
import type { Packages } from "./packages.ts";
import { makeOwnedFolder } from "./make-owned-folder.ts";
import { readIndex } from "./read-index.ts";
import { type InstallFault, type RunningInstall, refusedBuild } from "./share-install.ts";

/** Installed packages. Each set of requirements is installed once per machine, and stays while there is room. */
export type Environments = {
  /** Returns the directory of installed packages; null when they must be built. */
  find(packages: Packages): string | null;
  /** Installs packages. Aborting stops the install, unless another run waits for the same packages. */
  build(wanted: InstallRequest): RunningInstall;
  /** Resolves requirements, installs what was found, and returns its lock. Rejects with `SandboxUnavailable`, or the signal's reason. */
  lock(wanted: WantedRequirements): Promise<{ lock: string } | InstallFault>;
  /** Returns the sandbox with leases: environments that it shows are not removed before it ends. */
  guard<S extends Sandbox>(sandbox: S): S;
  close(): void;
};

type WantedRequirements = { requirements: readonly string[]; owner: string; signal: AbortSignal } & Pick<
  WantedLock,
  "onLine"
>;

/** `directory` is made when it is missing. Only this user may be able to write to it. */
export type EnvironmentsOptions = Omit<BuildOptions, "index"> & {
  log: Pick<Log, "warn">;
  /** Hosts that an install may reach besides the index. */
  packageHosts: readonly string[];
  /** The deployment's settings of its package index: PIP_ and UV_ variables, HOME. */
  env: Record<string, string>;
};

/** Environments are installed by pip, from wheels only: installing one runs no code of its author's. */
export function openEnvironments(options: EnvironmentsOptions): Environments {
  const { python, directory, log, env, packageHosts } = options;
  const index = readIndex({ env, moreHosts: packageHosts, readFile: readIfThere });
  const installs = openInstalls({ ...options, index });
  const leases = openLeases(directory);
  const folderFault = makeOwnedFolder(directory);
  if (folderFault === null) void removeAbandonedDrafts(directory);
  else log.warn({ reason: folderFault }, "agents' requirements can't be installed");

  const faultOf = ({ requirements }: Packages): InstallFault | null => {
    const fault = requirementsFault(requirements)?.message;
    if (fault) return { fault: `${fault}.` };
    return folderFault === null ? null : { fault: folderFault, ofWorker: true };
  };
  // A lock's hashes say what is installed, wherever it comes from.
  const keyOf = ({ requirements, lock }: Packages): string => {
    const wanted = lock === null ? [index.identity, normalizeRequirements(requirements)] : [lock];
    const parts = [python.path, python.version, process.arch, ...wanted];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  };

  return {
    find(packages) {
      if (faultOf(packages) !== null) return null;
      const key = keyOf(packages);
      const folder = join(directory, key);
      if (!existsSync(folder)) return null;
      leases.touch(key);
      return partsOf(folder).packages;
    },
    build(wanted) {
      const fault = faultOf(wanted.packages);
      return fault === null ? installs.build(keyOf(wanted.packages), wanted) : refusedBuild(fault);
    },
    async lock({ requirements, ...wanted }) {
      const packages = { requirements, lock: null };
      const fault = faultOf(packages);
      if (fault !== null) return fault;
      return installs.lock({ ...wanted, packages, keyOf: (lock) => keyOf({ requirements, lock }) });
    },
    guard: (sandbox) => withLeases(sandbox, leases, directory),
    close: () => leases.close(),
  };
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
