import { readdirSync, readFileSync } from "node:fs";

const closeOnExec = 0o2000000;

/**
 * Descriptors that this process got from its parent and would pass on to every child: those above stderr without
 * close-on-exec. (Node marks only the first ones it finds at its start, and everything that it opens itself.)
 */
export function findStrayFds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fdinfo")
    .map(Number)
    .filter((fd) => fd > 2 && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
