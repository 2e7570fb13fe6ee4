import { readFileSync } from "node:fs";
import type { SandboxUsage } from "./process.ts";

/** Returns the pids of a process's children; none where /proc does not list them. */
export function readChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Linux reports CPU time in hundredths of a second, whatever its own tick is. */
const tickMs = 10;
const pageBytes = 4_096;

/** Sums the usage of all descendants, for sandboxes without a cgroup. The time of an ended process counts for its parent. */
export function usageBelow(pid: number): SandboxUsage {
  const sum = { cpu_ms: 0, memory_bytes: 0 };
  const pids = readChildren(pid);
  for (const child of pids) {
    pids.push(...readChildren(child));
    sum.cpu_ms += readCpu(child);
    sum.memory_bytes += readMemory(child);
  }
  return sum;
}

/** proc(5): utime, stime, cutime and cstime of stat. */
function readCpu(pid: number): number {
  const fields = readProc(pid, "stat").split(") ").at(-1)?.split(" ").slice(11, 15) ?? [];
  return fields.reduce((sum, ticks) => sum + Number(ticks), 0) * tickMs;
}

/** proc(5): resident pages without shared ones. A page is 4 KiB on every machine that Runfleet was tried on. */
function readMemory(pid: number): number {
  const [, resident = 0, shared = 0] = readProc(pid, "statm").split(" ").map(Number);
  return (resident - shared) * pageBytes;
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
