import { createHash } from "node:crypto";
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Root may not run Postgres, so its services become `nobody`; another user's stay that user. */
export function serviceUser(): { uid: number; gid: number } | null {
  return process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : null;
}

/**
 * Whether every user can get to the folder: false below /root (0700) or a private temporary clone. It matters to root only,
 * which gives Postgres and sandboxes users of their own.
 */
export function isReachable(folder: string): boolean {
  if (serviceUser() === null) return true;
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/**
 * `wanted` itself where this process can write and others can get to it, else a folder of ours below /var/tmp, named by
 * `identity`. Made when missing. Throws when somebody else holds that place.
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
  // Everybody may write to /var/tmp: not following a link, and not trusting another's folder.
  const found = lstatSync(elsewhere);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o022) !== 0)
    throw new Error(`${elsewhere} isn't a folder that only this user can write: remove it.`);
  return elsewhere;
}

/** The project's folder: the nearest above this file that has a package.json. */
export function projectFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  return folder;
}

/** Where fetched and unpacked programs are kept; removing it costs one download. */
export function cacheDir(): string {
  return reachableFolder(join(projectFolder(), ".cache"));
}
