import { randomBytes } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { identifyProcess, isAlive, processIdentitySchema } from "./process-identity.ts";

/**
 * Locks a directory for this process, until `release()` or the process's death: a dead process's lock is replaced. Throws one
 * sentence that names the process which holds the lock. link(2) is the atomic step: it never replaces an existing file.
 */
export async function lockDirectory(directory: string): Promise<{ release(): Promise<void> }> {
  const lock = join(directory, "lock");
  const mine = `${lock}.${randomBytes(6).toString("hex")}`;
  await writeFile(mine, JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 });
  try {
    while (!(await linked(mine, lock))) await removeStale(lock, directory);
  } finally {
    await rm(mine, { force: true });
  }
  let released: Promise<void> | undefined;
  return { release: () => (released ??= rm(lock, { force: true })) };
}

async function removeStale(lock: string, directory: string): Promise<void> {
  const seen = await readFile(lock, "utf8").catch(() => null);
  if (seen === null) return;
  const holder = parseHolder(seen);
  if (holder && isAlive(holder))
    throw new Error(`${directory} is in use: process ${holder.pid} is running on it already.`);
  const aside = `${lock}.${randomBytes(6).toString("hex")}`;
  await rename(lock, aside).catch(() => undefined);
  // Another process may have taken the lock between the read and the rename: its lock is put back.
  const moved = await readFile(aside, "utf8").catch(() => seen);
  if (moved !== seen) await linked(aside, lock);
  await rm(aside, { force: true });
}

function parseHolder(text: string) {
  try {
    return processIdentitySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
