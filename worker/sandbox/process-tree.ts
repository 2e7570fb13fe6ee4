import { readFileSync } from "node:fs";

/** The pids of a process' children; none where there is no such /proc. */
export function readChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** What a process' children hold in memory, in bytes; 0 where that can't be read. */
export function memoryBelow(pid: number): number {
  return readChildren(pid).reduce((sum, child) => sum + readMemory(child), 0);
}

/** proc(5): statm's second field counts resident pages, of 4 KiB on every machine that we know of. */
function readMemory(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
