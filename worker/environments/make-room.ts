import { randomUUID } from "node:crypto";
import { readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ownerState, ownerTag } from "../sandbox/owner-tag.ts";
import { chooseVictims, type Kept } from "./choose-victims.ts";
import { keyPattern, partsOf } from "./layout.ts";
import { isHeld } from "./leases.ts";

/** What stands in an environment's folder about it. */
const about = z.object({ requirements: z.array(z.string()), bytes: z.number().int().nonnegative() });

/** An install ends long before; the draft of a worker in another pid namespace may be removed after this. */
const draftMs = 3_600_000;
/** So many environments are looked through in a moment, however small they are. */
const mostEnvironments = 1_000;

/** Returns a new name in `directory` that tells whose it is, for what isn't finished or is to be removed. */
export const draftName = (): string => `${ownerTag()}-${randomUUID()}`;

/** Removes what workers that are gone left unfinished. */
export async function removeLeftDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory).catch(() => [])) {
    const state = ownerState(name);
    const path = join(directory, name);
    const isOld = async () => Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Infinity) > draftMs;
    if (state === "gone" || (state === "elsewhere" && (await isOld()))) await remove(path);
  }
}

/**
 * Removes the least recently used environments until the rest, drafts that are ready included, has at most `maxBytes`. An
 * environment that a sandbox shows stays. Returns false when that doesn't suffice. Several workers may do this at once.
 */
export async function makeRoom(directory: string, maxBytes: number): Promise<boolean> {
  await removeLeftDrafts(directory);
  const kept = await listKept(directory);
  const victims = chooseVictims(kept, { bytes: maxBytes, count: mostEnvironments }, Date.now());
  for (const victim of victims ?? []) await drop(directory, victim);
  return victims !== null;
}

async function listKept(directory: string): Promise<Kept[]> {
  const names = await readdir(directory);
  const found = await Promise.all(names.map((name) => readKept(directory, name)));
  return found.filter((one) => one !== null);
}

/** A draft counts as soon as its size is known. */
async function readKept(directory: string, name: string): Promise<Kept | null> {
  const place = join(directory, name);
  const isDraft = ownerState(name) !== null;
  if (!isDraft && !keyPattern.test(name)) return null;
  const bytes = await readBytes(partsOf(place).about);
  if (isDraft) return bytes === null ? null : { name, bytes, usedAt: Date.now(), inUse: true };
  const usedAt = (await stat(partsOf(place).used).catch(() => null))?.mtimeMs ?? 0;
  return { name, bytes: bytes ?? 0, usedAt, inUse: await isHeld(place) };
}

async function readBytes(path: string): Promise<number | null> {
  try {
    return about.parse(JSON.parse(await readFile(path, "utf8"))).bytes;
  } catch {
    return null;
  }
}

/** Moves it aside, looks whether somebody came to use it in the meantime, and then removes it or puts it back. */
async function drop(directory: string, { name, usedAt }: Kept): Promise<void> {
  const [place, aside] = [join(directory, name), join(directory, draftName())];
  try {
    await rename(place, aside);
  } catch {
    // Another worker was first.
    return;
  }
  const used = (await stat(partsOf(aside).used).catch(() => null))?.mtimeMs ?? 0;
  const isWanted = used > usedAt || (await isHeld(aside));
  // Where it was installed again already, a sandbox may still read this one: it stays until this worker is gone.
  if (isWanted) await rename(aside, place).catch(() => undefined);
  else await remove(aside);
}

/** What can't be removed now is tried again with the next install. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
