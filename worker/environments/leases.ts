import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownerState, ownerTag } from "../sandbox/owner-tag.ts";
import { partsOf } from "./layout.ts";

/** While an environment is leased, no worker on the machine removes it. */
export type Leases = {
  /** Records that an environment is used now. */
  touch(key: string): void;
  /** Leases an environment until the returned function is called. */
  hold(key: string): () => void;
  close(): void;
};

const renewMs = 60_000;
/** A lease of a worker in another pid namespace ends after this time without renewal: that worker may be gone unseen. */
const staleMs = 10 * renewMs;
/** A use is recorded at most this often. */
const touchEachMs = 10_000;
const mostRemembered = 10_000;

export function openLeases(directory: string): Leases {
  const counts = new Map<string, number>();
  const touched = new Map<string, number>();
  const parts = (key: string): ReturnType<typeof partsOf> => partsOf(join(directory, key));
  const leaseOf = (key: string): string => join(parts(key).leases, `${ownerTag()}-lease`);

  function touch(key: string): void {
    const now = Date.now();
    if (now - (touched.get(key) ?? 0) < touchEachMs) return;
    if (touched.size >= mostRemembered) touched.clear();
    touched.set(key, now);
    setTime(parts(key).used, now);
  }
  function release(key: string): void {
    const count = (counts.get(key) ?? 1) - 1;
    if (count > 0) return void counts.set(key, count);
    counts.delete(key);
    touch(key);
    rmSync(leaseOf(key), { force: true });
  }
  const renewal = setInterval(() => {
    for (const key of counts.keys()) {
      setTime(leaseOf(key), Date.now());
      touch(key);
    }
  }, renewMs).unref();

  return {
    touch,
    hold(key) {
      const count = counts.get(key) ?? 0;
      counts.set(key, count + 1);
      if (count === 0) writeLease(leaseOf(key));
      let isHeld = true;
      return () => {
        if (isHeld) release(key);
        isHeld = false;
      };
    },
    close() {
      clearInterval(renewal);
      for (const key of counts.keys()) rmSync(leaseOf(key), { force: true });
    },
  };
}

/** True while a worker that is alive, or may be alive, leases this environment. */
export async function isHeld(folder: string): Promise<boolean> {
  const { leases } = partsOf(folder);
  const names = await readdir(leases).catch(() => []);
  for (const name of names) {
    const state = ownerState(name);
    if (state === "alive") return true;
    if (state !== "elsewhere") continue;
    const found = await stat(join(leases, name)).catch(() => null);
    if (found && Date.now() - found.mtimeMs < staleMs) return true;
  }
  return false;
}

/**
 * Writes a lease, and its folder: what cleans /var/tmp may have removed an empty one. A missing environment is ignored here;
 * the sandbox that needs it can't start, and says so.
 */
function writeLease(path: string): void {
  try {
    mkdirSync(dirname(path));
  } catch {
    // The folder exists, or the environment is gone.
  }
  try {
    writeFileSync(path, "");
  } catch {
    // The environment is gone.
  }
}

function setTime(path: string, now: number): void {
  try {
    utimesSync(path, now / 1000, now / 1000);
  } catch {
    // The file is gone.
  }
}
