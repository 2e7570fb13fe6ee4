import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const prefix = "runfleet";

/**
 * Names what this worker process leaves on the machine while it runs, so that a later worker can tell what a dead one left:
 * pid namespace, pid and the start time that tells a reused pid apart.
 */
export function ownerTag(): string {
  return `${prefix}-${pidNamespace()}-${process.pid}-${startTime("self") ?? 0}`;
}

/** Of the worker that a name's tag tells of; `elsewhere`: it can't be known here, in another pid namespace or without a /proc. */
export type OwnerState = "alive" | "gone" | "elsewhere";

/** Returns the state of the worker that made `name`, which begins with an `ownerTag`; null for any other name. */
export function ownerState(name: string): OwnerState | null {
  const match = new RegExp(`^${prefix}-(\\d+)-(\\d+)-(\\d+)(-|$)`).exec(name);
  if (!match) return null;
  if (match[1] !== pidNamespace() || match[1] === "0") return "elsewhere";
  return startTime(match[2] ?? "") === match[3] ? "alive" : "gone";
}

/** The entries of `directory` whose worker (of this pid namespace) is gone. */
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

/** Field 22 of /proc/<pid>/stat (proc(5)), in clock ticks after boot; null when there is no such process. */
function startTime(pid: string): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}
