import type { BenchClient } from "./client.ts";
import { plainSource } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

const first = 200;
const later = 4_000;
const clients = 16;

/** Measures how much slower the first runs after a start are than later ones. Returns a table. */
export function benchAfterStart(signal: AbortSignal): Promise<string> {
  return withStack(signal, { WORKERS: "1" }, async ({ client }) => {
    await client.publish("bench", { source: plainSource });
    const early = await timeRuns(client, first, signal);
    await timeRuns(client, later, signal);
    const warm = await timeRuns(client, first, signal);
    const rows = [`| the first ${first} | ${early.toFixed(2)} |`, `| after ${later} more | ${warm.toFixed(2)} |`];
    return [`| runs | ms a run |`, "|---|---|", ...rows, `| ratio | ${(early / warm).toFixed(2)} |`].join("\n");
  });
}

async function timeRuns(client: BenchClient, count: number, signal: AbortSignal): Promise<number> {
  let left = count;
  const started = performance.now();
  const loop = async (): Promise<void> => {
    while (left-- > 0 && !signal.aborted) await client.run("bench");
  };
  await Promise.all(Array.from({ length: clients }, loop));
  return (performance.now() - started) / count;
}
