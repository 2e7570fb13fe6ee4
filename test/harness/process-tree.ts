import { existsSync, readFileSync } from "node:fs";

/** The processes below one, each before its own. */
export function descendants(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

export const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);
