import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Returns the user for services. Postgres refuses to run as root, so root's services run as `nobody`; null for the same user. */
export function serviceUser(): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
}

/**
 * True when every user can reach the folder: false below /root (mode 0700), for example. Always true for other users than
 * root, since only root gives Postgres and sandboxes users of their own.
 */
export function isReachable(folder: string): boolean {
  if (serviceUser() === null) return true;
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * Returns `wanted` if this process can write there and every user can reach it; otherwise a folder below /var/tmp that is
 * named by a hash of `identity`. The folder is made when missing. Throws when that path is another user's.
 */
export function reachableFolder(wanted: string, identity = resolve(wanted)): string {
  try {
    mkdirSync(wanted, { recursive: true, mode: 0o755 });
    accessSync(wanted, constants.W_OK);
    if (isReachable(wanted)) return resolve(wanted);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    if (!["EACCES", "EROFS", "EPERM"].includes(code)) throw error;
  }
  const uid = process.getuid?.() ?? 0;
  const hash = createHash("sha256").update(identity).digest("hex").slice(0, 16);
  const elsewhere = join("/var/tmp", `runfleet-${uid}-${hash}`);
  mkdirSync(elsewhere, { recursive: true, mode: 0o755 });
  // Every user may write to /var/tmp, so a link or another user's folder is refused.
  const found = lstatSync(elsewhere);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0)
    throw new Error(`${elsewhere} is not a folder that only this user can write. Remove it.`);
  return elsewhere;
}

/** Returns the project's folder: the nearest one above this file with a package.json. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Returns the folder of downloaded programs. It can be removed at the cost of another download. */
export function cacheDir(): string {
  return reachableFolder(join(projectFolder(), ".cache"));
}
