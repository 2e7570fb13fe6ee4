import { cpus, release } from "node:os";
import { runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { benchLists } from "./lists.ts";
import { benchLatency } from "./latency.ts";
import { startSkeletonApi } from "./skeleton/api.ts";
import { withSkeleton } from "./skeleton/with-skeleton.ts";
import { startSkeletonWorker } from "./skeleton/worker.ts";
import { benchSse } from "./sse.ts";
import { benchCpu, measureThroughput, throughputHead, throughputRow } from "./throughput.ts";
import { benchTrace } from "./trace.ts";
import { benchWarmMemory } from "./warm-memory.ts";
import { warmUp } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

/**
 * `npm run bench` measures runs, `-- --trace` the steps of one run, `-- --cpu` where their CPU time goes, `-- sse` readers of streams, `-- lists` lists and analytics
 * over a million runs.
 */
const [role, settings = "{}"] = process.argv.slice(2);
if (role === "skeleton-api") await startSkeletonApi(JSON.parse(settings));
else if (role === "skeleton-worker") await startSkeletonWorker(JSON.parse(settings));
else await runProcess(bench);

const agents = ["bench", "bench-reuse"];

async function bench(signal: AbortSignal): Promise<void> {
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}\n`);
  if (process.argv.includes("--trace")) return console.log(await benchTrace(signal));
  if (process.argv.includes("--cpu"))
    return console.log(
      await withStack(signal, { WORKERS: "1" }, async ({ client }) => {
        await warmUp(client, signal);
        return benchCpu(client, agents, signal);
      }),
    );
  if (process.argv.includes("sse")) return benchSse(signal);
  if (process.argv.includes("lists")) return benchLists(1_000_000, signal);
  console.log(await withStack(signal, { WORKERS: "1" }, ({ client }) => benchLatency(client, signal)));
  console.log(`\n${await withStack(signal, { WORKERS: "1" }, benchWarmMemory)}`);
  console.log(`\n${throughputHead}`);
  for (const workers of [1, 2])
    await withStack(signal, { WORKERS: String(workers) }, async (stack) => {
      await warmUp(stack.client, signal);
      for (const agent of agents)
        for (const clients of [1, 8, 64]) {
          const measured = await measureThroughput(stack.client, { agent, clients }, signal);
          console.log(throughputRow([workers, agent, clients], measured));
        }
      await withSkeleton(stack, async (client) => {
        await measureThroughput(client, { clients: 64 }, signal);
        console.log(throughputRow(["–", "skeleton", 64], await measureThroughput(client, { clients: 64 }, signal)));
      });
    });
}
