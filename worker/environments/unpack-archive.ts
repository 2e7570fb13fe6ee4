import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { stickyBit } from "./make-owned-folder.ts";
import { type ArchiveLimits, readArchive } from "./read-archive.ts";

const createOnly = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const blockBytes = 4096;

/**
 * Writes an archive's files and directories into `directory`, which is made and must not exist. Nothing in `directory` is
 * ever a link, and no other user can write to it, so each path that `readArchive` accepts stays inside. Every user can read
 * the result, and nobody can write its files. Returns the bytes that the result takes on disk: whole blocks, and a block for
 * each entry. Throws ArchiveFault.
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
        file = await makeFile(path, (item.executable ? 0o555 : 0o444) | stickyBit);
      }
    }
  } finally {
    await file?.close();
  }
  return taken;
}

/** True when this process's umask would keep the sandboxes' users from reading. */
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
