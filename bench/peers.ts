import type { BenchClient } from "./client.ts";
import { timeBareStart } from "./bare-start.ts";
import { withRestate } from "./peers/restate.ts";
import { quantile } from "./quantile.ts";
import { measureThroughput } from "./throughput.ts";
import { warmUp } from "./warm-up.ts";
import { withStack } from "./with-stack.ts";

const latencyRounds = 200;
const warmUpRuns = 2_000;

const ours = "sandbox, stream, committed twice";
const rows = [
  { label: "Runfleet, a process per run", agent: "bench", includes: ours },
  { label: "Runfleet, a process for many runs", agent: "bench-reuse", includes: ours },
];
const restateRows = [
  { label: "Restate, a handler that answers", agent: "answer", includes: "committed; no sandbox, no stream" },
  { label: "Restate, with one step", agent: "step", includes: "committed, one step; no sandbox, no stream" },
];

/** Measures the same agent beside its peers, one after the other on the same cores with the same client. Returns a table. */
export async function benchPeers(signal: AbortSignal): Promise<string> {
  const measured = [
    ...(await withStack(signal, { WORKERS: "1" }, async ({ client }) => {
      await warmUp(client, signal);
      return measure(client, rows, signal);
    })),
    ...(await withRestate(signal, async (client) => {
      for (const { agent } of restateRows)
        await Promise.all(
          Array.from({ length: 16 }, async () => {
            for (let run = 0; run < warmUpRuns / 16; run += 1) await client.run(agent);
          }),
        );
      return measure(client, restateRows, signal);
    })),
  ];
  const head =
    "| what | includes | L: a run ÷ a bare start | T: runs a bare start, 64 clients | runs a second |\n|---|---|---|---|---|";
  return [head, ...measured].join("\n");
}

async function measure(client: BenchClient, kinds: typeof rows, signal: AbortSignal): Promise<string[]> {
  const lines = [];
  for (const { label, agent, includes } of kinds) {
    const [bare, whole]: [number[], number[]] = [[], []];
    for (let round = 0; round < latencyRounds && !signal.aborted; round += 1) {
      bare.push(await timeBareStart());
      whole.push((await client.run(agent)).whole);
    }
    const { perSecond, bareStartMs } = await measureThroughput(client, { agent, clients: 64 }, signal);
    const [latency, throughput] = [quantile(whole, 0.5) / quantile(bare, 0.5), (perSecond * bareStartMs) / 1_000];
    lines.push(
      `| ${label} | ${includes} | ${latency.toFixed(2)} | ${throughput.toFixed(2)} | ${perSecond.toFixed(0)} |`,
    );
  }
  return lines;
}
