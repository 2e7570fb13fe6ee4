import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * systemd-tmpfiles removes old files of /var/tmp, except those with the sticky bit (XDG Base Directory). The bit means
 * nothing else on a regular file of Linux.
 */
export const stickyBit = process.platform === "linux" ? 0o1000 : 0;

/**
 * Makes a folder that only this user can write and every user can read: sandboxes may have users of their own. Another user
 * could plant code in a folder that they can write. Returns what is wrong with the folder, as a sentence; null when nothing is.
 */
export function makeOwnedFolder(directory: string): string | null {
  const change = "Set ENVIRONMENTS_DIR to a folder of this user.";
  try {
    const made = mkdirSync(directory, { recursive: true });
    const found = lstatSync(directory);
    const uid = process.getuid?.();
    if (!found.isDirectory() || found.uid !== uid) return `${directory} belongs to another user. ${change}`;
    // The umask may have taken permissions from the folders that were made.
    for (let at = directory; at.length >= (made ?? directory).length; at = dirname(at)) chmodSync(at, 0o755);
    const open = openFolder(directory);
    if (open) return `${open} can be changed by other users. ${change}`;
    const closed = uid === 0 ? closedFolder(directory) : null;
    return (
      closed && `${closed} is closed to the sandboxes' users. Set ENVIRONMENTS_DIR to a folder that they can reach.`
    );
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return `${directory} can't be made (${code}). ${change}`;
  }
}

/**
 * Returns the nearest folder above in which other users could exchange entries: it is another user's, or others can write to
 * it and it has no sticky bit. The owner of `/` is root, whatever uid a container sees.
 */
function openFolder(directory: string): string | null {
  const trusted = [process.getuid?.(), statSync("/").uid];
  for (let at = dirname(directory); ; at = dirname(at)) {
    const { uid, mode } = statSync(at);
    if (!trusted.includes(uid) || ((mode & 0o022) !== 0 && (mode & 0o1000) === 0)) return at;
    if (at === dirname(at)) return null;
  }
}

/** Returns the nearest folder that other users can't pass through; null when there is none. */
function closedFolder(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if ((statSync(at).mode & 0o001) === 0) return at;
    if (at === dirname(at)) return null;
  }
}
