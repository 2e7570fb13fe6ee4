import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TraceMark, traceStages } from "../shared/platform/run-trace-marks.ts";
import { quantile } from "./quantile.ts";
import { warmUp } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

const rounds = 1000;
const steps = ["sent", ...traceStages, "first_output_read", "end_read"];

/** Measures the steps of warm runs, across all processes. */
export async function benchTrace(signal: AbortSignal): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "runfleet-trace-"));
  const file = join(directory, "trace");
  try {
    return await withStack(signal, { TRACE_FILE: file, WORKERS: "1" }, async ({ client }) => {
      const runs = new Map<string, Map<string, number>>();
      await warmUp(client, signal);
      for (let round = 0; round < rounds && !signal.aborted; round += 1) {
        const { runId, startedAt, first, whole } = await client.run("bench");
        const own = [
          ["sent", startedAt],
          ["first_output_read", startedAt + first],
          ["end_read", startedAt + whole],
        ] as const;
        runs.set(runId, new Map(own));
      }
      for (const line of readFileSync(file, "utf8").split("\n").filter(Boolean)) {
        const { run_id, step, at } = JSON.parse(line) as TraceMark;
        const run = runs.get(run_id);
        if (run && !run.has(step)) run.set(step, at);
      }
      return table([...runs.values()]);
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function table(runs: Map<string, number>[]): string {
  const since = (step: string) =>
    runs.flatMap((run) => {
      const [from, to] = [run.get("sent"), run.get(step)];
      return from === undefined || to === undefined ? [] : [to - from];
    });
  const rows = steps
    .slice(1)
    .map(
      (step) => `| ${step} | ${quantile(since(step), 0.5).toFixed(2)} | ${quantile(since(step), 0.99).toFixed(2)} |`,
    );
  return ["| step | median ms since the request was sent | p99 |", "|---|---|---|", ...rows].join("\n");
}
