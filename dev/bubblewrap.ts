import { join } from "node:path";
import { readEnv } from "../shared/config/env.ts";
import { unpackDebianPackages } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";

/** bubblewrap from PATH, else the distribution's package unpacked into the cache. Null: workers use a level without it. */
export async function findBubblewrap(cacheDir: string): Promise<string | null> {
  if (process.platform !== "linux") return null;
  const onPath = findProgram(["bwrap"], readEnv()["PATH"] ?? "");
  if (onPath) return onPath;
  const unpacked = await unpackDebianPackages(cacheDir, "bubblewrap", ["bubblewrap"]);
  return unpacked && join(unpacked, "usr/bin/bwrap");
}
