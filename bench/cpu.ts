import { readdirSync, readFileSync } from "node:fs";

/** CPU time in ms by part of the stack, ended children included. */
export type CpuTimes = Map<string, number>;

const msPerTick = 10;

/** Names the part of the stack that a process belongs to, by its command line, else by its parent's part. */
function partOf(command: string, parent: string): string {
  if (/postgres/.test(command)) return "Postgres";
  if (/redis/.test(command)) return "Redis";
  if (/api\/main/.test(command)) return "API";
  if (/gateway/.test(command)) return "gateway";
  if (/worker\/main/.test(command)) return "worker";
  return parent === "worker" ? "sandbox" : parent;
}

type Found = { parent: number; ms: number; command: string };

function readProcesses(): Map<number, Found> {
  const found = new Map<number, Found>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      // proc(5): utime, stime, cutime and cstime are the fields 14 to 17; the name before them may hold spaces.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      found.set(Number(name), { parent: Number(fields[1]), ms: ticks * msPerTick, command });
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}

/** Reads the CPU times of this process (the client) and of all below it: the stack. Linux only. */
export function readCpuTimes(): CpuTimes {
  const processes = readProcesses();
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of processes) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const times: CpuTimes = new Map();
  const visit = (pid: number, part: string): void => {
    const own = processes.get(pid);
    if (!own) return;
    times.set(part, (times.get(part) ?? 0) + own.ms);
    for (const child of children.get(pid) ?? []) visit(child, partOf(processes.get(child)?.command ?? "", part));
  };
  visit(process.pid, "client");
  return times;
}

/** Returns the ms a run that each part took between two readings, and their sum. */
export function perRun(before: CpuTimes, after: CpuTimes, runs: number): { parts: Map<string, number>; sum: number } {
  const parts = new Map([...after].map(([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / runs]));
  return { parts, sum: [...parts.values()].reduce((sum, ms) => sum + ms, 0) };
}
