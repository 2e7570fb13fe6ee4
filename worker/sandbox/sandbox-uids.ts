import { randomInt } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { ownerState, ownerTag } from "./owner-tag.ts";

/** Host uids for sandboxes, in pairs. At any time a pair belongs to one sandbox of one worker on the machine. */
export type SandboxUids = {
  /** Returns the first uid of a pair that no other process uses. The second is `pairOffset` above it. */
  take(): Promise<number>;
  /** Gives a pair back. To be called when no process runs as either uid. */
  release(uid: number): void;
  close(): void;
};

/** From a pair's first uid to its second; also how many pairs there are. */
export const pairOffset = 2_000;

/**
 * No user or service has these uids: they are above those of people and system services (up to 60513) and of systemd's dynamic
 * users (61184 to 65519), and below those of containers (subuid(5), from 100000). Source: systemd.io/UIDS-GIDS.
 */
const usualFirst = 70_000;
/** For user namespaces without those uids, such as a container that maps 65536 ids. systemd's services run outside of it. */
const lowFirst = 61_000;

/** All uids of sandboxes are within these bounds. */
export const sandboxUidBounds = { first: lowFirst, last: usualFirst + 2 * pairOffset - 1 } as const;
/** A uid with as few rights, but of no sandbox: some sandboxes end all processes of their uid. */
export const probeUid = lowFirst - 1;

/** Returns null where the worker can't change uids: it is not root, or this is not Linux. */
export function openSandboxUids(directory = "/run/runfleet-uids"): SandboxUids | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const first = firstUidOf(readFileSync("/proc/self/uid_map", "utf8"));
  const owner = ownerTag();
  const held = new Set<number>();
  const free: number[] = [];
  // A random start: workers that can't see each other's locks (containers with a /run of their own) then seldom collide.
  let next = randomInt(pairOffset);

  const claimNext = (): number => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    for (const sweep of [false, true]) {
      if (sweep) removeStale(directory);
      for (let tries = 0; tries < pairOffset; tries += 1) {
        const uid = first + next;
        next = (next + 1) % pairOffset;
        if (held.has(uid) || !lock(join(directory, String(uid)), owner)) continue;
        held.add(uid);
        return uid;
      }
    }
    throw new Error(`All ${pairOffset} pairs of uids from ${first} are in use; ${directory} says by which workers.`);
  };

  return {
    take: async () => free.pop() ?? claimNext(),
    release: (uid) => void free.push(uid),
    close: () => {
      for (const uid of held) rmSync(join(directory, String(uid)), { force: true });
      held.clear();
      free.length = 0;
    },
  };
}

/** Returns the first uid of the first pair for a map of user_namespaces(7): `usualFirst` where all of its pairs are mapped. */
export function firstUidOf(uidMap: string): number {
  const isMapped = uidMap.split("\n").some((line) => {
    const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return inside <= usualFirst && inside + count >= usualFirst + 2 * pairOffset;
  });
  return isMapped ? usualFirst : lowFirst;
}

/** Locks by a symbolic link to the owner's name: its creation is atomic and never replaces a file. Returns false when locked. */
function lock(path: string, owner: string): boolean {
  try {
    symlinkSync(owner, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes locks of dead workers. Several workers may do this at once: a lock is moved aside first, and moved back when it has
 * another owner by then.
 */
function removeStale(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const aside = `${path}.${process.pid}`;
    try {
      const owner = readlinkSync(path);
      if (ownerState(owner) !== "gone") continue;
      renameSync(path, aside);
      const moved = readlinkSync(aside);
      if (moved !== owner) symlinkSync(moved, path);
      unlinkSync(aside);
    } catch {
      // Another worker removed it first.
    }
  }
}
