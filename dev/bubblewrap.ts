import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { readEnv } from "../shared/platform/config/env.ts";
import { unpackDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";

/**
 * Finds a `bwrap` that runs: on PATH, or in the cache, or Debian's package, which is unpacked into the cache. Every user can
 * reach its path. Returns null when there is none: agents then run at a lower sandbox level, if SANDBOX_MIN_LEVEL allows that.
 */
export async function findBubblewrap(cacheDir: string): Promise<string | null> {
  const installed = findProgram(["bwrap"], readEnv()["PATH"] ?? "");
  if (installed) return installed;
  try {
    const root = await unpackDebianPackage("bubblewrap", cacheDir);
    if (root === null) return null;
    const file = join(root, "usr/bin/bwrap");
    await promisify(execFile)(file, ["--version"]);
    return file;
  } catch {
    return null;
  }
}
