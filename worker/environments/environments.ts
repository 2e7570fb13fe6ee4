import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../../shared/platform/log.ts";
import { normalizeRequirements, requirementsFault } from "../../shared/domain/agent/requirement.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { BuildOptions } from "./build-environment.ts";
import { holdShown } from "./hold-shown.ts";
import { partsOf } from "./layout.ts";
import { openLeases } from "./leases.ts";
import { removeLeftDrafts } from "./make-room.ts";
import { openInstalls, type Wanted } from "./open-installs.ts";
import { ownFolder } from "./own-folder.ts";
import { readIndex } from "./read-index.ts";
import { type Build, refusedBuild } from "./share-install.ts";

/** Installed packages, by what was asked for: each set is installed once per machine and kept while there is room. */
export type Environments = {
  /** The directory of a set that stands; null when it has to be built. */
  find(requirements: readonly string[]): string | null;
  /** Builds a set. Aborting ends it, unless another run waits for it too. */
  build(wanted: Wanted): Build;
  /** The sandbox, whose starts hold the environments that they show until they end. */
  guard<S extends Sandbox>(sandbox: S): S;
  close(): void;
};

/** `directory`: only this user may write to it; made when missing. */
export type EnvironmentsOptions = Omit<BuildOptions, "index"> & {
  log: Pick<Log, "warn">;
  /** Hosts that an install may reach besides the index. */
  packageHosts: readonly string[];
  /** The deployment's settings of its index: PIP_ and UV_ variables, HOME. */
  env: Record<string, string>;
};

/** Environments are installed by pip, from wheels only: installing one runs no code of its author's. */
export function openEnvironments(options: EnvironmentsOptions): Environments {
  const { python, directory, log, env, packageHosts } = options;
  const index = readIndex({ env, moreHosts: packageHosts, readFile: readIfThere });
  const installs = openInstalls({ ...options, index });
  const leases = openLeases(directory);
  const folderFault = ownFolder(directory);
  if (folderFault === null) void removeLeftDrafts(directory);
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
    guard: (sandbox) => holdShown(sandbox, leases, directory),
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
