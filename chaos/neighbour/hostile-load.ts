import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, Worker, workerData } from "node:worker_threads";
import { z } from "zod";
import { projectFolder } from "../../dev/reachable.ts";
import { createFleetClient } from "./client.ts";

const order = z.object({
  url: z.string(),
  agentId: z.string(),
  runtime_mode: z.string(),
  /** How long each run may take. */
  timeout_ms: z.number(),
  /** How many runs at a time, and for how many seconds new runs are begun. */
  runs: z.number(),
  seconds: z.number(),
});
const counted = z.record(z.string(), z.number());

/** How many runs ended with each event. */
export type Endings = z.infer<typeof counted>;

/** Runs hostile agents from a thread of its own, so that their output does not delay the measurement. */
export function startHostileLoad(given: z.infer<typeof order>): Promise<Endings> {
  const thread = new Worker(join(projectFolder(), "dist/chaos/neighbour/hostile-load.js"), { workerData: given });
  return new Promise((resolve, reject) => {
    thread.once("message", (endings) => resolve(counted.parse(endings)));
    thread.once("error", reject);
  });
}

async function beginRuns(): Promise<void> {
  const { url, agentId, runs, seconds, ...asked } = order.parse(workerData);
  const client = createFleetClient(url);
  const until = performance.now() + seconds * 1_000;
  const endings: Endings = {};
  await Promise.all(
    Array.from({ length: runs }, async () => {
      while (performance.now() < until) {
        const { event } = await client.run(agentId, { do: "attack" }, asked);
        endings[event] = (endings[event] ?? 0) + 1;
        await sleep(5);
      }
    }),
  );
  client.close();
  parentPort?.postMessage(endings);
}

if (parentPort !== null && workerData !== null) await beginRuns();
