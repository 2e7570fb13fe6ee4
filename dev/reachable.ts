import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const isRoot = process.getuid?.() === 0;

/**
 * Whether another user can get to `path`: every folder above it lets others pass. It matters to root only, which gives
 * Postgres and sandboxes users of their own; /root itself, or a temporary clone, is closed to them.
 */
export function isReachable(path: string): boolean {
  if (!isRoot) return true;
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if (existsSync(folder) && (statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** `path` where others can get to it, else a folder of its own below /var/tmp that stands for it. Made when missing. */
export function reachableFolder(path: string): string {
  const name = createHash("sha256").update(resolve(path)).digest("hex").slice(0, 12);
  const folder = isReachable(dirname(resolve(path))) ? resolve(path) : join("/var/tmp", `runfleet-${name}`);
  mkdirSync(folder, { recursive: true });
  if (isRoot) {
    if (![0, 65534].includes(statSync(folder).uid)) throw new Error(`${folder} belongs to somebody else; remove it.`);
    if (statSync(folder).uid === 0) chmodSync(folder, 0o755);
  }
  return folder;
}

/** The project's folder: the nearest above this file that has a package.json. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Where fetched and unpacked programs are kept; removing it costs one download. */
export const cacheDir = (): string => reachableFolder(join(projectFolder(), ".cache"));
