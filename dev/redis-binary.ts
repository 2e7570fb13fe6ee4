import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readEnv } from "../shared/platform/config/env.ts";
import { unpackDebianPackage } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";

export type RedisBinary = { file: string; libraryPath?: string };

/**
 * Finds a Redis or Valkey server: on PATH, or in the cache, or the distribution's package, which is unpacked into the cache.
 * (npm has no usable package.) Throws one sentence that says how to get one.
 */
export async function findRedisBinary(cacheDir: string): Promise<RedisBinary> {
  const installed = findProgram(["redis-server", "valkey-server"], readEnv()["PATH"] ?? "");
  if (installed) return { file: installed };
  const root = await unpackDebianPackage("redis-server", cacheDir).catch((error: unknown) => {
    throw new Error(howToGetIt(), { cause: error });
  });
  if (root === null) throw new Error(howToGetIt());
  return { file: join(root, "usr/bin/redis-server"), libraryPath: libraryDirectories(root).join(":") };
}

function howToGetIt(): string {
  const way = process.platform === "darwin" ? "brew install redis" : "install the package redis or valkey";
  return `There is no redis-server here: ${way}, or set REDIS_URL to a Redis of your own.`;
}

/** Debian's multiarch directories, e.g. usr/lib/x86_64-linux-gnu. */
function libraryDirectories(root: string): string[] {
  return ["usr/lib", "lib"].flatMap((part) => {
    const found = listDirectory(join(root, part)).filter((entry) => entry.includes("-linux-gnu"));
    return found.map((entry) => join(root, part, entry));
  });
}

function listDirectory(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
