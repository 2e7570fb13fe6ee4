import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const prefix = "runfleet";

/**
 * Returns the prefix of names that this worker gives to files, groups and containers, so that a later worker can tell what a
 * dead one left: pid namespace, pid, and the start time, which differs when a pid is used again.
 */
export function ownerTag(): string {
  return `${prefix}-${pidNamespace()}-${process.pid}-${startTime("self") ?? 0}`;
}

/** The state of the worker in a name's tag. `elsewhere`: unknown, since it is in another pid namespace or there is no /proc. */
export type OwnerState = "alive" | "gone" | "elsewhere";

/** Returns the state of the worker that made `name`, which begins with an `ownerTag`; null for any other name. */
export function ownerState(name: string): OwnerState | null {
  const match = new RegExp(`^${prefix}-(\\d+)-(\\d+)-(\\d+)(-|$)`).exec(name);
  if (!match) return null;
  if (match[1] !== pidNamespace() || match[1] === "0") return "elsewhere";
  return startTime(match[2] ?? "") === match[3] ? "alive" : "gone";
}

/** Returns the entries of `directory` whose worker, of this pid namespace, is gone. */
export function findLeftovers(directory: string): string[] {
  return listNames(directory).filter((name) => ownerState(name) === "gone");
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid").replaceAll(/\D/g, "");
  } catch {
    return "0";
  }
}

/** Returns a process's start time, in clock ticks after boot; null for no such process. Field 22 of /proc/<pid>/stat (proc(5)). */
function startTime(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
