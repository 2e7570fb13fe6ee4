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

/** Host uids for running sandboxes, in pairs: at any time a pair belongs to one sandbox of one worker on the machine. */
export type SlotUids = {
  /** The first uid of a pair that nobody else runs as; the second is `pairOffset` above it. */
  take(): Promise<number>;
  /** Gives a pair back, once no process runs as either. */
  release(uid: number): void;
  close(): void;
};

/** From a pair's first uid to its second; also how many pairs there are. */
export const pairOffset = 2_000;

/**
 * From here on no user or service is given a uid: above those of people and system services (up to 60513) and of systemd's
 * dynamic users (61184 to 65519), below those of containers (subuid(5), from 100000). Source: systemd.io/UIDS-GIDS.
 */
const usualFirst = 70_000;
/** Where the worker's user namespace has no such uids, as in a container that maps 65536: systemd's services run outside. */
const lowFirst = 61_000;

/** No sandbox has a uid outside of these. */
export const slotUidBounds = { first: lowFirst, last: usualFirst + 2 * pairOffset - 1 } as const;
/** May do as little as those and is no sandbox's: some sandboxes end all processes of their uid. */
export const probeUid = lowFirst - 1;

/** Null where the worker can't change uids: it isn't root, or this isn't Linux. */
export function openSlotUids(directory = "/run/runfleet-uids"): SlotUids | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const first = firstUidOf(readFileSync("/proc/self/uid_map", "utf8"));
  const owner = ownerTag();
  const held = new Set<number>();
  const free: number[] = [];
  // Workers that can't see each other's locks (containers, each with a /run of its own) seldom begin at the same pair.
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

/** The first uid of the first pair, given user_namespaces(7)'s map: the usual one where all pairs above it are mapped. */
export function firstUidOf(uidMap: string): number {
  const isMapped = uidMap.split("\n").some((line) => {
    const [inside = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    return inside <= usualFirst && inside + count >= usualFirst + 2 * pairOffset;
  });
  return isMapped ? usualFirst : lowFirst;
}

/** A symbolic link to its owner's name: making it is atomic, and it never replaces another one. */
function lock(path: string, owner: string): boolean {
  try {
    symlinkSync(owner, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Locks of dead workers go, and those that two workers see at once go once: a moved link that has another owner goes back. */
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
