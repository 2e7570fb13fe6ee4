import { readdirSync, readFileSync } from "node:fs";

/**
 * Returns the ids of this machine's processes that have the mark as their name or in their environment. Children inherit both, also
 * those that leave their session or lose their parent: by its parent an orphan belongs to nobody.
 */
export function markedProcesses(mark: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && isMarked(pid, mark));
}

function isMarked(pid: string, mark: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // A zombie executes nothing.
    if (stat.slice(stat.lastIndexOf(")")).startsWith(") Z")) return false;
    return stat.includes(`(${mark})`) || readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
  } catch {
    // It ended meanwhile.
    return false;
  }
}

/** Returns a name that no other process has, as short as the name of a process must be. */
export const newMark = (): string => `mark-${Math.random().toString(36).slice(2, 12)}`;
