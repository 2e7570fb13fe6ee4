import { existsSync } from "node:fs";
import { chmod, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type InstallOptions, installPackages } from "./install-packages.ts";
import { partsOf } from "./layout.ts";
import type { Packages } from "./packages.ts";
import { draftName, freeBytes, makeRoom } from "./make-room.ts";
import { stickyBit } from "./make-owned-folder.ts";
import type { InstallResult } from "./share-install.ts";

export type BuildOptions = InstallOptions & {
  directory: string;
  /** The limit of all environments together. */
  maxBytes: number;
};

type EnvironmentRequest = {
  packages: Packages;
  /** Returns the name of the environment. `lock`: that of what was installed. */
  keyOf: (lock: string) => string;
  signal: AbortSignal;
  onLine: (line: string) => void;
};

/**
 * Installs packages into a draft, makes room for the draft, and renames it to the environment; once more where the disk was
 * full. When this worker dies meanwhile, another one removes the draft. Rejects as `installPackages` does.
 */
export async function buildEnvironment(options: BuildOptions, wanted: EnvironmentRequest): Promise<InstallResult> {
  try {
    return await build(options, wanted).catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOSPC") throw error;
      // The disk is smaller than ENVIRONMENTS_MAX_BYTES, or has other things on it.
      await freeBytes(options.directory, options.eachMaxBytes);
      return build(options, wanted);
    });
  } catch (error) {
    const code = codeOf(error);
    // Other errors are no faults of the disk.
    if (!diskFaults.has(code)) throw error;
    return { cpu_ms: null, fault: `This worker can't write to ENVIRONMENTS_DIR (${code}).`, ofWorker: true };
  }
}

async function build(options: BuildOptions, wanted: EnvironmentRequest): Promise<InstallResult> {
  const { directory, maxBytes } = options;
  const { packages, keyOf, signal, onLine } = wanted;
  const { requirements } = packages;
  const draft = join(directory, draftName());
  const parts = partsOf(draft);
  try {
    await mkdir(draft, { mode: 0o755 });
    const installed = await installPackages(options, { packages, signal, onLine, target: parts.packages });
    if ("fault" in installed) return installed;
    const { bytes, cpu_ms, lock } = installed;
    const folder = join(directory, keyOf(lock));
    await mkdir(parts.leases, { mode: 0o755 });
    await writeFile(parts.used, "");
    await writeFile(parts.about, JSON.stringify({ requirements, bytes }));
    await chmod(parts.about, 0o644 | stickyBit);
    if (!(await makeRoom(directory, maxBytes))) return { cpu_ms, fault: noRoom(bytes, maxBytes), ofWorker: true };
    // Another worker may have built the same environment first.
    await rename(draft, folder).catch((error: unknown) => existsSync(folder) || Promise.reject(error));
    return { cpu_ms, directory: partsOf(folder).packages, lock };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

const codeOf = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "");

const diskFaults = new Set(["ENOSPC", "EDQUOT", "EACCES", "EPERM", "EROFS", "ENOENT", "EIO"]);

const noRoom = (bytes: number, maxBytes: number): string =>
  `There is no room for ${bytes} more bytes: the environments in use fill ENVIRONMENTS_MAX_BYTES (${maxBytes}) of the worker.`;
