import { cpus, release } from "node:os";
import { runProcess } from "../shared/platform/lifecycle/run-process.ts";
import { benchAfterStart } from "./after-start.ts";
import { benchAuthorDay } from "./author-day.ts";
import { benchChildren } from "./children.ts";
import { benchConsole } from "./console.ts";
import { benchGateway } from "./gateway.ts";
import { benchGrowth } from "./growth.ts";
import { benchLists } from "./lists.ts";
import { benchLatency } from "./latency.ts";
import { benchPeers } from "./peers.ts";
import { benchRealAgents } from "./real-agents.ts";
import { startSkeletonApi } from "./skeleton/api.ts";
import { withSkeleton } from "./skeleton/with-skeleton.ts";
import { startSkeletonWorker } from "./skeleton/worker.ts";
import { benchRetention } from "./retention.ts";
import { benchScaling } from "./scaling.ts";
import { benchSse } from "./sse.ts";
import { benchCpu, measureThroughput, throughputHead, throughputRow } from "./throughput.ts";
import { benchSteps } from "./steps.ts";
import { benchSuspended } from "./suspended.ts";
import { benchTrace } from "./trace.ts";
import { benchWarmMemory } from "./warm-memory.ts";
import { warmUp } from "./warm-up.ts";
import { benchWaiting } from "./waiting.ts";
import { withStack } from "./with-stack.ts";

/**
 * `npm run bench` measures runs, `-- --trace` the steps of one run, `-- --cpu` where their CPU time goes, `-- sse` readers of streams, `-- steps` the steps of durable runs, `-- gateway` calls to models, `-- console` the console in a browser, `-- lists` lists and analytics
 * over a million runs, `-- growth` throughput over a million past runs, `-- retention` lists and purges over ten million, `-- waiting` agents that only wait, `-- suspended` a million runs that wait without a process, `-- children` a run that starts 300 others, `-- start` the first runs
 * after a start, `-- scaling` a wave over a fleet that a controller scales, `-- peers` the same agent in Restate, `-- real` agents of LangGraph, `-- day` an author's day from an empty folder.
 */
const agents = ["bench", "bench-reuse"];
const [role, settings = "{}"] = process.argv.slice(2);
/** Each returns what it prints, or prints itself. */
const benches: Record<string, (signal: AbortSignal) => Promise<string | void>> = {
  "--trace": benchTrace,
  "--cpu": (signal) =>
    withStack(signal, { WORKERS: "1" }, async ({ client }) => {
      await warmUp(client, signal);
      return benchCpu(client, agents, signal);
    }),
  steps: benchSteps,
  sse: benchSse,
  waiting: benchWaiting,
  scaling: benchScaling,
  gateway: benchGateway,
  growth: benchGrowth,
  peers: benchPeers,
  start: benchAfterStart,
  children: benchChildren,
  console: (signal) => benchConsole(1_000_000, signal),
  lists: (signal) => benchLists(1_000_000, signal),
  retention: (signal) => benchRetention(10_000_000, signal),
  suspended: (signal) => benchSuspended(1_000_000, signal),
  real: benchRealAgents,
  day: benchAuthorDay,
};

async function bench(signal: AbortSignal): Promise<void> {
  console.log(`${cpus().length} cores, ${cpus()[0]?.model}, Linux ${release()}, Node ${process.version}\n`);
  const named = process.argv.find((word) => Object.hasOwn(benches, word));
  if (named === undefined) return benchRuns(signal);
  const table = await benches[named]?.(signal);
  if (table !== undefined) console.log(table);
}

async function benchRuns(signal: AbortSignal): Promise<void> {
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

if (role === "skeleton-api") await startSkeletonApi(JSON.parse(settings));
else if (role === "skeleton-worker") await startSkeletonWorker(JSON.parse(settings));
else await runProcess(bench);
