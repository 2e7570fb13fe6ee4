import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ownerState, ownerTag } from "../sandbox/owner-tag.ts";
import { partsOf } from "./layout.ts";

/** Keeps environments that are in use from being removed, by any worker on the machine. */
export type Leases = {
  /** Notes that an environment is used now. */
  touch(key: string): void;
  /** Holds an environment until the returned function is called. */
  hold(key: string): () => void;
  close(): void;
};

const renewMs = 60_000;
/** Of a worker in another pid namespace it can't be seen whether it lives; it renews its leases. */
const staleMs = 10 * renewMs;
/** An environment that was used just now stays as recent as it was. */
const touchEachMs = 10_000;
const mostRemembered = 10_000;

export function openLeases(directory: string): Leases {
  const counts = new Map<string, number>();
  const touched = new Map<string, number>();
  const place = (key: string): ReturnType<typeof partsOf> => partsOf(join(directory, key));
  const leaseOf = (key: string): string => join(place(key).leases, `${ownerTag()}-lease`);

  function touch(key: string): void {
    const now = Date.now();
    if (now - (touched.get(key) ?? 0) < touchEachMs) return;
    if (touched.size >= mostRemembered) touched.clear();
    touched.set(key, now);
    setTime(place(key).used, now);
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

/** Returns true while a sandbox of a worker that lives, or may live, shows this environment. */
export async function isHeld(place: string): Promise<boolean> {
  const { leases } = partsOf(place);
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
 * Where the environment is gone, the sandbox that is to show it can't start, and says so. What cleans /var/tmp may have
 * removed the folder of leases while it was empty.
 */
function writeLease(path: string): void {
  try {
    mkdirSync(dirname(path));
  } catch {
    // It stands, or the environment is gone.
  }
  try {
    writeFileSync(path, "");
  } catch {
    // Gone.
  }
}

function setTime(path: string, now: number): void {
  try {
    utimesSync(path, now / 1000, now / 1000);
  } catch {
    // Gone.
  }
}
