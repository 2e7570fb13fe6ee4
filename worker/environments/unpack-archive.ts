import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { keptBit } from "./own-folder.ts";
import { type ArchiveLimits, readArchive } from "./read-archive.ts";

const createOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const blockBytes = 4096;

/**
 * Writes an archive's files and directories into `directory`, which is made and must not exist. Nothing in there is ever a
 * link, and nobody else can write to it, so a path that `readArchive` lets pass stays inside. Every user can read the
 * result, nobody can write its files. Returns the bytes that it takes on disk: whole blocks, and one for each entry. Throws
 * ArchiveFault.
 */
export async function unpackArchive(
  chunks: AsyncIterable<Uint8Array>,
  directory: string,
  limits: ArchiveLimits,
): Promise<number> {
  let taken = blockBytes;
  let file: FileHandle | null = null;
  await makeDirectory(directory);
  try {
    for await (const item of readArchive(chunks, limits)) {
      if (item.type === "data") {
        await file?.appendFile(item.bytes);
        continue;
      }
      await file?.close();
      file = null;
      const path = join(directory, item.path);
      taken += blockBytes;
      if (item.type === "directory") await makeDirectory(path);
      else {
        taken += Math.ceil(item.size / blockBytes) * blockBytes;
        file = await makeFile(path, (item.executable ? 0o555 : 0o444) | keptBit);
      }
    }
  } finally {
    await file?.close();
  }
  return taken;
}

/** Whether this process's umask would keep the sandboxes' users from reading. */
const isMasked = (): boolean => (process.umask() & 0o555) !== 0;

async function makeDirectory(path: string): Promise<void> {
  await mkdir(path, { mode: 0o755 });
  if (isMasked()) await chmod(path, 0o755);
}

async function makeFile(path: string, mode: number): Promise<FileHandle> {
  const file = await open(path, createOnly, mode);
  if (isMasked()) await file.chmod(mode);
  return file;
}
