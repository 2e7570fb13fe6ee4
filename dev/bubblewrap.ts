import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { readEnv } from "../shared/platform/config/env.ts";
import { unpackDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";

/**
 * A `bwrap` that runs: on PATH, else from the cache, else Debian's package unpacked into it, on a path that every user can
 * reach. Null when it can't be had: agents then run at a lower sandbox level, if SANDBOX_MIN_LEVEL allows that.
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
