import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ownerState, ownerTag } from "../sandbox/owner-tag.ts";
import { chooseIdle, chooseVictims, type StoredEnvironment } from "./choose-victims.ts";
import { keyPattern, partsOf } from "./layout.ts";
import { isHeld } from "./leases.ts";

/** The content of an environment's `about.json`. */
const about = z.object({ requirements: z.array(z.string()), bytes: z.number().int().nonnegative() });

/** After this time a draft of a worker in another pid namespace is removed. An install ends much sooner. */
const draftMs = 3_600_000;
/** Bounds the time to read all environments, however small they are. */
const mostEnvironments = 1_000;

/** Returns a new name, with this worker's tag, for an environment that is not finished or is about to be removed. */
export const draftName = (): string => `${ownerTag()}-${randomUUID()}`;

/** Removes drafts of workers that are gone. */
export async function removeAbandonedDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const state = ownerState(name);
    const path = join(directory, name);
    const isOld = async () => Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Infinity) > draftMs;
    if (state === "gone" || (state === "elsewhere" && (await isOld()))) await remove(path);
  }
}

/**
 * Removes the least recently used environments until the others, finished drafts included, have at most `maxBytes`. An
 * environment that a sandbox shows stays. Returns false when there is not enough room even so. Several workers may do this
 * at once.
 */
export async function makeRoom(directory: string, maxBytes: number): Promise<boolean> {
  await removeAbandonedDrafts(directory);
  const kept = await listEnvironments(directory);
  const victims = chooseVictims(kept, { bytes: maxBytes, count: mostEnvironments }, Date.now());
  for (const victim of victims ?? []) await drop(directory, victim);
  return victims !== null;
}

/** Removes the least recently used environments, of at least so many bytes where enough of them are idle. */
export async function freeBytes(directory: string, bytes: number): Promise<void> {
  let freed = 0;
  for (const oldest of chooseIdle(await listEnvironments(directory), Date.now())) {
    if (freed >= bytes) return;
    await drop(directory, oldest);
    freed += oldest.bytes;
  }
}

async function listEnvironments(directory: string): Promise<StoredEnvironment[]> {
  const names = await readdir(directory);
  const found = await Promise.all(names.map((name) => readEnvironment(directory, name)));
  return found.filter((one) => one !== null);
}

/** Returns null for a draft whose size is not known yet, and for what is no environment. */
async function readEnvironment(directory: string, name: string): Promise<StoredEnvironment | null> {
  const folder = join(directory, name);
  const isDraft = ownerState(name) !== null;
  if (!isDraft && !keyPattern.test(name)) return null;
  const bytes = await readBytes(partsOf(folder).about);
  if (isDraft) return bytes === null ? null : { name, bytes, usedAt: Date.now(), inUse: true };
  const usedAt = (await stat(partsOf(folder).used).catch(() => null))?.mtimeMs ?? 0;
  return { name, bytes: bytes ?? 0, usedAt, inUse: await isHeld(folder) };
}

async function readBytes(path: string): Promise<number | null> {
  try {
    return about.parse(JSON.parse(await readFile(path, "utf8"))).bytes;
  } catch {
    return null;
  }
}

/** Moves an environment aside, checks whether a worker began to use it meanwhile, and then removes it or moves it back. */
async function drop(directory: string, { name, usedAt }: StoredEnvironment): Promise<void> {
  const [folder, aside] = [join(directory, name), join(directory, draftName())];
  try {
    await rename(folder, aside);
  } catch {
    // Another worker was first.
    return;
  }
  const used = (await stat(partsOf(aside).used).catch(() => null))?.mtimeMs ?? 0;
  const isWanted = used > usedAt || (await isHeld(aside));
  // When the environment was installed again meanwhile, a sandbox may still read this copy: it stays until this worker ends.
  if (isWanted) await rename(aside, folder).catch(() => undefined);
  else await remove(aside);
}

/** Removes a path. When that fails, the next install tries again. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
