import { medianBareStart } from "./bare-start.ts";
import type { BenchClient } from "./client.ts";
import { type CpuTimes, perRun, readCpuTimes } from "./cpu.ts";
import { quantile } from "./quantile.ts";

const seconds = 5;

/** `cpu`: ms of CPU a run, by part of the stack. */
export type Throughput = {
  perSecond: number;
  medianMs: number;
  p99Ms: number;
  bareStartMs: number;
  cpu: ReturnType<typeof perRun>;
};

/** Measures runs per second of an agent: each client starts its next run when its last has ended. */
export async function measureThroughput(
  client: BenchClient,
  { agent = "bench", clients }: { agent?: string; clients: number },
  signal: AbortSignal,
): Promise<Throughput> {
  const before = await medianBareStart();
  const whole: number[] = [];
  const cpu: [CpuTimes, CpuTimes] = [readCpuTimes(), new Map()];
  const started = performance.now();
  const loop = async (): Promise<void> => {
    while (performance.now() - started < seconds * 1_000 && !signal.aborted)
      whole.push((await client.run(agent)).whole);
  };
  await Promise.all(Array.from({ length: clients }, loop));
  const perSecond = whole.length / ((performance.now() - started) / 1_000);
  cpu[1] = readCpuTimes();
  return {
    perSecond,
    medianMs: quantile(whole, 0.5),
    p99Ms: quantile(whole, 0.99),
    bareStartMs: (before + (await medianBareStart())) / 2,
    cpu: perRun(...cpu, whole.length),
  };
}

export const throughputHead =
  "| workers | agent | clients | runs a second | T: runs a bare start | median ms | p99 ms | ms CPU a run |\n|---|---|---|---|---|---|---|---|";

/** Returns a table's row. */
export function throughputRow(labels: readonly (string | number)[], measured: Throughput): string {
  const { perSecond, medianMs, p99Ms, bareStartMs, cpu } = measured;
  const perStart = (perSecond * bareStartMs) / 1_000;
  const figures = [
    perSecond.toFixed(0),
    perStart.toFixed(2),
    medianMs.toFixed(1),
    p99Ms.toFixed(1),
    cpu.sum.toFixed(2),
  ];
  return `| ${[...labels, ...figures].join(" | ")} |`;
}

/** Measures which part of the stack takes how much CPU a run. Returns a table. */
export async function benchCpu(client: BenchClient, agents: readonly string[], signal: AbortSignal): Promise<string> {
  const rows = [];
  for (const agent of agents) {
    const { cpu } = await measureThroughput(client, { agent, clients: 64 }, signal);
    const parts = [...cpu.parts].map(([part, ms]) => `${part} ${ms.toFixed(2)}`).join(", ");
    rows.push(`| ${agent} | ${cpu.sum.toFixed(2)} | ${parts} |`);
  }
  return ["| agent | ms CPU a run | of it |", "|---|---|---|", ...rows].join("\n");
}
