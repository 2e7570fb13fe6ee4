import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These take longest and wait more than they work: begun first, none is left to run alone at the end. */
const longest = /\/test\/(scenarios|chaos|dev|prisma)\//;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.test(moduleId);
    return (await super.sort(files)).toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/count-reporter.ts"],
    sequence: { sequencer: LongestFirst },
    pool: "forks",
    isolate: false,
    // On two cores: a file waits for time-outs, ticks and processes for about half of its time.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
