import { readdirSync, readFileSync } from "node:fs";
import type { BenchStack } from "./with-stack.ts";

const versions = 20;

/** Measures a warm sandbox's memory: that of the worker's whole process tree before and after 20 more warm sandboxes. */
export async function benchWarmMemory({ url, client }: BenchStack): Promise<string> {
  const { data } = (await (await fetch(`${url}/v1/admin/fleet`)).json()) as { data: { pid: number }[] };
  const pids = data.map(({ pid }) => pid);
  const source = "import json, re\ndef main(input):\n    return {'ok': True}\n";
  const runOnce = async (name: string): Promise<void> => {
    await client.publish(name, { source });
    await client.run(name);
  };
  for (let i = 0; i < 3; i += 1) await runOnce(`before-${i}`);
  const before = sandboxMemory(pids);
  for (let i = 0; i < versions; i += 1) await runOnce(`warm-${i}`);
  const each = (sandboxMemory(pids) - before) / versions / 1024;
  return `A warm sandbox: ${each.toFixed(1)} MiB (proportional set size of its processes).`;
}

/** Returns the memory of all processes below the workers, in KiB. */
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

/** Returns null for a process that has ended meanwhile. */
function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
