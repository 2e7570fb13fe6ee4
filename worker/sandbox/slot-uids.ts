import { createServer, type Server } from "node:net";

/**
 * Host uids for running sandboxes, from 61000 up: at any time each belongs to one sandbox of one worker on the machine.
 * A uid is held by listening on an abstract unix socket named after it, which the kernel frees when the worker dies.
 */
export type SlotUids = {
  /** A uid that nobody else runs as. */
  take(): Promise<number>;
  /** Gives it back, once no process runs as it. */
  release(uid: number): void;
  close(): void;
};

export const firstSlotUid = 61_000;
/** One that may do as little as those, and that no sandbox has: some end all processes of their uid. */
export const probeUid = firstSlotUid - 1;
const lastSlotUid = 65_000;
/** A warm sandbox has a second uid, for the author's code, this far from the first. */
export const pairOffset = 10_000;

/** Null where the worker can't change uids: it isn't root, or this isn't Linux. */
export function openSlotUids(): SlotUids | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const held = new Map<number, Server>();
  const free: number[] = [];
  let next = firstSlotUid;

  const claimNext = async (): Promise<number> => {
    while (next <= lastSlotUid) {
      const uid = next++;
      const lock = await listenOn(`\0runfleet-uid-${uid}`);
      if (!lock) continue;
      held.set(uid, lock);
      return uid;
    }
    throw new Error(`All uids from ${firstSlotUid} to ${lastSlotUid} are in use.`);
  };

  return {
    take: async () => free.pop() ?? claimNext(),
    release: (uid) => void free.push(uid),
    close: () => {
      for (const lock of held.values()) lock.close();
      held.clear();
    },
  };
}

function listenOn(path: string): Promise<Server | null> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve) => {
    server.once("error", () => resolve(null));
    server.listen(path, () => resolve(server.unref()));
  });
}
