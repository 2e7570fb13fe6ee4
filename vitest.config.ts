import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { envOf, measureSlowness, timeLimit } from "./test/harness/time-limit.ts";

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

const slowness = measureSlowness();

/** The limits that tests name are those of a usual machine: 60_000 behind a test, or `timeout: 60_000` before it. */
const scaleLimits = {
  name: "scale-limits",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.endsWith(".test.ts")
      ? code.replaceAll(namedLimit, (ms) => String(timeLimit(Number(ms.replaceAll("_", "")), slowness)))
      : undefined,
};
const namedLimit = /(?<=^ *\}, |^ {2}|timeout: )\d[\d_]{4,}(?=\);$|,\n\);| \})/gm;

/** On two cores: a file waits for time-outs, ticks and processes for about half of its time, on a very slow machine for less. */
const filesAtOnce = slowness >= 2.5 ? 2 : 4;

export default defineConfig({
  plugins: [scaleLimits],
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/harness/global-setup.ts"],
    reporters: ["default", "./test/harness/count-reporter.ts"],
    sequence: { sequencer: ByRank },
    pool: "forks",
    isolate: false,
    // As the processes of the service do (shared/platform/lifecycle/run-process.ts).
    execArgv: ["--liftoff-only"],
    maxWorkers: filesAtOnce,
    env: envOf(slowness),
    // What was built runs as Node loads it.
    server: { deps: { external: [/\/dist\//] } },
    testTimeout: timeLimit(30_000, slowness),
    hookTimeout: timeLimit(60_000, slowness),
  },
});
