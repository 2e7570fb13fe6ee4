import type { Reporter, TestModule } from "vitest/node";

/** Ends the run's output with one plain line that any script can read. Vitest takes reporters as default exports. */
// oxlint-disable-next-line import/no-default-export -- what vitest takes as a reporter
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state] += 1;
      }
      if (module.state() === "failed" && module.errors().length > 0) count.failed += 1;
    }
    // After the other reporters' summaries.
    const failed = count.failed + unhandled.length;
    process.once("exit", () =>
      process.stdout.write(`${count.passed} passed, ${failed} failed, ${count.skipped} skipped\n`),
    );
  }
}
