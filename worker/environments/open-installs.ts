import { type BuildOptions, buildEnvironment } from "./build-environment.ts";
import { rememberFailures } from "./remember-failures.ts";
import { type Build, refusedBuild, shareInstall, type SharedInstall } from "./share-install.ts";
import { takeTurns } from "./take-turns.ts";

export type Wanted = {
  requirements: readonly string[];
  /** Whose run it is: owners take turns. */
  owner: string;
  signal: AbortSignal;
};

/** Each takes memory for its packages, and a core. */
const turnLimits = { atOnce: 2, perOwner: 1 };

/** The installs of this worker: one for each key at a time, few at once, and none again that failed a moment ago. */
export function openInstalls(options: BuildOptions): { build(key: string, wanted: Wanted): Build } {
  const turns = takeTurns(turnLimits);
  const failures = rememberFailures();
  const building = new Map<string, SharedInstall>();

  function begin(key: string, { requirements, owner }: Wanted): SharedInstall {
    const begun = shareInstall(async (signal, tell) => {
      // Who comes after everybody has left begins anew.
      signal.addEventListener("abort", forget, { once: true });
      try {
        const wanted = { key, requirements, signal, tell };
        const built = await turns.run(owner, signal, () => buildEnvironment(options, wanted));
        if ("fault" in built && !signal.aborted) failures.add(key, built.fault);
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
  };
}
