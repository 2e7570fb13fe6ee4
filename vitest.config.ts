import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Scenarios and starts take longest and wait more than they work: begun first, none is left to run alone at the end. Chaos and
 * attacks come last, since they work all the time and measure how long others take beside them.
 */
function rank(path: string): number {
  if (/\/test\/(scenarios|dev|prisma)\//.test(path)) return 0;
  return path.includes("/test/chaos/") ? 2 : 1;
}

class ByRank extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((one, other) => rank(one.moduleId) - rank(other.moduleId));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/count-reporter.ts"],
    sequence: { sequencer: ByRank },
    pool: "forks",
    isolate: false,
    // As the processes of the service do (shared/platform/lifecycle/run-process.ts).
    execArgv: ["--liftoff-only"],
    // On two cores: a file waits for time-outs, ticks and processes for about half of its time.
    maxWorkers: 3,
    // What was built runs as Node loads it.
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
