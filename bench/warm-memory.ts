import { readdirSync, readFileSync } from "node:fs";
import type { BenchStack } from "./with-stack.ts";

const versions = 20;

/** What a warm sandbox costs in memory: the worker's whole tree of processes before and after it keeps 20 more of them. */
export async function benchWarmMemory({ url, client }: BenchStack): Promise<string> {
  const { data } = (await (await fetch(`${url}/v1/admin/fleet`)).json()) as { data: { pid: number }[] };
  const pids = data.map(({ pid }) => pid);
  const source = "import json, re\ndef main(input):\n    return {'ok': True}\n";
  const play = async (name: string): Promise<void> => {
    await client.publish(name, { source });
    await client.run(name);
  };
  for (let i = 0; i < 3; i += 1) await play(`before-${i}`);
  const before = sandboxMemory(pids);
  for (let i = 0; i < versions; i += 1) await play(`warm-${i}`);
  const each = (sandboxMemory(pids) - before) / versions / 1024;
  return `A warm sandbox: ${each.toFixed(1)} MiB (proportional set size of its processes).`;
}

/** Of all processes below the workers, KiB. */
const sandboxMemory = (pids: number[]): number => pids.flatMap(descendants).reduce((sum, pid) => sum + pssOf(pid), 0);

const descendants = (pid: number): number[] => childrenOf(pid).flatMap((child) => [child, ...descendants(child)]);

function childrenOf(pid: number): number[] {
  const threads = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return threads.flatMap((thread) =>
    (attempt(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")) ?? "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

const pssOf = (pid: number): number =>
  Number(/^Pss:\s+(\d+)/m.exec(attempt(() => readFileSync(`/proc/${pid}/smaps_rollup`, "utf8")) ?? "")?.[1] ?? 0);

/** Processes go while we look. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
