import { setTimeout as sleep } from "node:timers/promises";
import { timeBareStart } from "./bare-start.ts";
import type { BenchClient, RunTimes } from "./client.ts";
import { quantile } from "./quantile.ts";
import { plainSource, warmUp } from "./warm-up.ts";

const rounds = 200;
const warmUpRounds = 20;

type Kind = { label: string; run: (round: number) => Promise<RunTimes> };

/** Longer than a Node process takes to start and to load the code. */
const nodeReadyMs = 400;

/** Measures one run at a time. Each alternates with a bare start of Python (`python3 -I -S -c pass`), so that changes of the machine's speed affect both. */
export async function benchLatency(client: BenchClient, signal: AbortSignal): Promise<string> {
  await warmUp(client, signal);
  await client.publish("cold", { source: plainSource });
  const nodeSource = "export async function* main() { yield 'hello'; return { ok: true }; }";
  await client.publish("bench-node", { adapter_type: "node", source: nodeSource, entrypoint: "main.ts" });
  await client.publish("bench-node-reuse", {
    adapter_type: "node",
    source: nodeSource,
    entrypoint: "main.ts",
    reuse: true,
  });
  await client.publish("bench-command", { adapter_type: "command", command: ["echo", "hello"] });
  const modules = Array.from({ length: 10 }, (_, index) => [`lib/part${index}.py`, "x = 1\n".repeat(50 * 170)]);
  await client.publish("bench-large", { files: { ...Object.fromEntries(modules), "main.py": plainSource } });
  const kinds: Kind[] = [
    { label: "warm run", run: () => client.run("bench") },
    { label: "reused run", run: () => client.run("bench-reuse") },
    { label: "warm run of 500 KB of code", run: () => client.run("bench-large") },
    { label: "isolated run", run: () => client.run("bench", { runtime_mode: "isolated" }) },
    {
      label: "first run of a version",
      async run(round) {
        const version = `1.0.${round + warmUpRounds + 1}`;
        await client.publish("cold", { source: plainSource }, version);
        return client.run("cold", { version });
      },
    },
    {
      label: "warm node run",
      async run() {
        await sleep(nodeReadyMs);
        return client.run("bench-node", { adapter_type: "node" });
      },
    },
    { label: "node run right after another", run: () => client.run("bench-node", { adapter_type: "node" }) },
    { label: "reused node run", run: () => client.run("bench-node-reuse", { adapter_type: "node" }) },
    { label: "command run", run: () => client.run("bench-command", { adapter_type: "command" }) },
  ];
  const rows = [];
  for (const kind of kinds) rows.push(...(await compare(kind, signal)));
  return [
    "| one at a time | median ms | p99 ms | bare start beside it, median ms | L: our median ÷ a bare start |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

async function compare({ label, run }: Kind, signal: AbortSignal): Promise<string[]> {
  const [bare, first, whole]: [number[], number[], number[]] = [[], [], []];
  for (let round = -warmUpRounds; round < rounds && !signal.aborted; round += 1) {
    const start = await timeBareStart();
    const times = await run(round);
    if (round < 0) continue;
    bare.push(start);
    first.push(times.first);
    whole.push(times.whole);
  }
  const unit = quantile(bare, 0.5);
  const row = (what: string, values: number[]): string => {
    const [median, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    return `| ${what} | ${[median, p99, unit].map((ms) => ms.toFixed(1)).join(" | ")} | ${(median / unit).toFixed(2)} |`;
  };
  return [row(`${label}, to the first output`, first), row(`${label}, to the end`, whole)];
}
