import { type BuildOptions, buildEnvironment } from "./build-environment.ts";
import { createFailureCache } from "./failure-cache.ts";
import {
  type RunningInstall,
  type InstallResult,
  refusedBuild,
  shareInstall,
  type SharedInstall,
} from "./share-install.ts";
import { createFairLimiter } from "./fair-limiter.ts";
import type { Packages } from "./packages.ts";

export type InstallRequest = {
  packages: Packages;
  /** The user of the run. Users take turns. */
  owner: string;
  signal: AbortSignal;
};

/** `onLine` gets what the installer prints. */
export type WantedLock = InstallRequest & { keyOf: (lock: string) => string; onLine: (line: string) => void };

export type Installs = {
  build(key: string, wanted: InstallRequest): RunningInstall;
  /** Resolves requirements anew and installs what was found. Rejects with `SandboxUnavailable`. */
  lock(wanted: WantedLock): Promise<InstallResult>;
};

/** Each install takes memory for its packages, and a core. */
const limits = { atOnce: 2, perOwner: 1 };

/** This worker's installs: one for each key at a time, and few at once. An install that failed just now is not repeated. */
export function openInstalls(options: BuildOptions): Installs {
  const limiter = createFairLimiter(limits);
  const failures = createFailureCache();
  const building = new Map<string, SharedInstall>();

  function begin(key: string, { packages, owner }: InstallRequest): SharedInstall {
    const begun = shareInstall(async (signal, onLine) => {
      // After all waiting runs were stopped, the next one begins a new install.
      signal.addEventListener("abort", forget, { once: true });
      try {
        const wanted = { keyOf: () => key, packages, signal, onLine };
        const built = await limiter.run(owner, signal, () => buildEnvironment(options, wanted));
        if ("fault" in built && !signal.aborted) failures.add(key, built);
        return built;
      } catch (error) {
        if (signal.aborted) return { cpu_ms: 0, fault: "The install was stopped." };
        throw error;
      } finally {
        forget();
      }
    });
    const forget = (): void => void (building.get(key) === begun && building.delete(key));
    building.set(key, begun);
    return begun;
  }

  return {
    build(key, wanted) {
      const failed = failures.find(key);
      if (failed !== null) return refusedBuild(failed);
      return (building.get(key) ?? begin(key, wanted)).join(wanted.signal);
    },
    lock: (wanted) => limiter.run(wanted.owner, wanted.signal, () => buildEnvironment(options, wanted)),
  };
}
