import { spawn } from "node:child_process";
import { readEnv } from "../shared/config/env.ts";
import type { BenchClient } from "./client.ts";
import { quantile } from "./quantile.ts";

const rounds = 200;
const warmUp = 20;
const source = "def main(input):\n    yield 'hello'\n    return {'ok': True}\n";

type Figure = { time: (round: number) => Promise<number[]>; labels: string[] };

/** One run at a time, next to a bare start of Python: all figures in turn, so that the machine's moods hit all alike. */
export async function benchLatency(client: BenchClient, signal: AbortSignal): Promise<string> {
  const python = readEnv()["PYTHON"] ?? "/usr/bin/python3";
  await client.publish("bench", { source });
  await client.publish("cold", { source });
  const both = async (agent: string, body?: Record<string, unknown>): Promise<number[]> => {
    const { first, whole } = await client.run(agent, body);
    return [first, whole];
  };
  const other = (adapter_type: string) => () => both(`bench-${adapter_type}`, { adapter_type });
  const nodeSource = "export async function* main() { yield 'hello'; return { ok: true }; }";
  await client.publish("bench-node", { adapter_type: "node", source: nodeSource, entrypoint: "main.ts" });
  await client.publish("bench-command", { adapter_type: "command", command: ["echo", "hello"] });
  const figures: Figure[] = [
    { labels: ["`python3 -c pass`"], time: async () => [await timeProgram(python, ["-c", "pass"])] },
    { labels: ["warm run, to the first output", "warm run, to the end"], time: () => both("bench") },
    {
      labels: ["isolated run, to the first output", "isolated run, to the end"],
      time: () => both("bench", { runtime_mode: "isolated" }),
    },
    {
      labels: ["first run of a version, to the first output", "first run of a version, to the end"],
      time: async (round) => {
        const version = `1.0.${round + warmUp + 1}`;
        await client.publish("cold", { source }, version);
        return both("cold", { version });
      },
    },
  ];
  for (const name of ["node", "command"])
    figures.push({ labels: [`${name} run, to the first output`, `${name} run, to the end`], time: other(name) });
  const taken = new Map<string, number[]>();
  for (let round = -warmUp; round < rounds && !signal.aborted; round += 1)
    for (const { labels, time } of figures) {
      const values = await time(round);
      if (round >= 0) note(taken, labels, values);
    }
  return table(taken);
}

function note(taken: Map<string, number[]>, labels: string[], values: number[]): void {
  for (const [index, label] of labels.entries())
    taken.set(label, [...(taken.get(label) ?? []), values[index] ?? Number.NaN]);
}

function table(taken: Map<string, number[]>): string {
  const [bare] = taken.values();
  const unit = quantile(bare ?? [], 0.5);
  const rows = [...taken].map(([label, values]) => {
    const [median, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    return `| ${label} | ${median.toFixed(1)} | ${p99.toFixed(1)} | ${(median / unit).toFixed(2)} |`;
  });
  return ["| one at a time | median ms | p99 ms | ÷ bare Python |", "|---|---|---|---|", ...rows].join("\n");
}

function timeProgram(file: string, args: string[]): Promise<number> {
  const at = performance.now();
  return new Promise((resolve, reject) => {
    spawn(file, args, { stdio: "ignore" })
      .once("error", reject)
      .once("exit", () => resolve(performance.now() - at));
  });
}
