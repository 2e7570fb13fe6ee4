import { readEnv } from "../shared/platform/config/env.ts";
import { findDebianProgram, type Program } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";

/**
 * Finds a Redis or Valkey server: on PATH, or in the cache, or the distribution's package, which is unpacked into the cache.
 * (npm has no usable package.) Throws one sentence that says how to get one.
 */
export async function findRedisBinary(cacheDir: string): Promise<Program> {
  const installed = findProgram(["redis-server", "valkey-server"], readEnv()["PATH"] ?? "");
  if (installed) return { file: installed };
  const found = await findDebianProgram("redis-server", "usr/bin/redis-server", cacheDir).catch((error: unknown) => {
    throw new Error(howToGetIt(), { cause: error });
  });
  if (found === null) throw new Error(howToGetIt());
  return found;
}

function howToGetIt(): string {
  const way = process.platform === "darwin" ? "brew install redis" : "install the package redis or valkey";
  return `There is no redis-server here: ${way}, or set REDIS_URL to a Redis of your own.`;
}
