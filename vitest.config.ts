import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Scenarios take longest and wait more than they work: begun first, none is left to run alone at the end. */
class ScenariosFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isScenario = ({ moduleId }: TestSpecification): boolean => moduleId.includes("/test/scenarios/");
    return (await super.sort(files)).toSorted((one, other) => Number(isScenario(other)) - Number(isScenario(one)));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/count-reporter.ts"],
    sequence: { sequencer: ScenariosFirst },
    pool: "forks",
    isolate: false,
    // On two cores: a file waits for time-outs, ticks and processes for about half of its time.
    maxWorkers: 4,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
