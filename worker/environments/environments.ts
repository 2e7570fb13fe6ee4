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
import { openInstalls, type Wanted } from "./open-installs.ts";
import { makeOwnedFolder } from "./make-owned-folder.ts";
import { readIndex } from "./read-index.ts";
import { type Build, refusedBuild } from "./share-install.ts";

/** Installed packages. Each set of requirements is installed once per machine, and stays while there is room. */
export type Environments = {
  /** Returns the directory of installed packages; null when they must be built. */
  find(requirements: readonly string[]): string | null;
  /** Installs packages. Aborting stops the install, unless another run waits for the same packages. */
  build(wanted: Wanted): Build;
  /** Returns the sandbox with leases: environments that it shows are not removed before it ends. */
  guard<S extends Sandbox>(sandbox: S): S;
  close(): void;
};

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

  const keyOf = (requirements: readonly string[]): string => {
    const parts = [python.path, python.version, process.arch, index.identity, normalizeRequirements(requirements)];
    return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
  };

  return {
    find(requirements) {
      if (folderFault !== null || requirementsFault(requirements) !== null) return null;
      const key = keyOf(requirements);
      const place = join(directory, key);
      if (!existsSync(place)) return null;
      leases.touch(key);
      return partsOf(place).packages;
    },
    build(wanted) {
      const fault = requirementsFault(wanted.requirements)?.message;
      if (fault) return refusedBuild(`${fault}.`);
      return folderFault === null ? installs.build(keyOf(wanted.requirements), wanted) : refusedBuild(folderFault);
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
