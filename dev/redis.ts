import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readEnv } from "../shared/config/env.ts";
import { gone, readyWhen } from "./child-process.ts";
import { unpackDebianPackages } from "./debian-package.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";

export type Service = { url: string; pid: number; close(): Promise<void> };

/**
 * A private Redis: a redis-server or valkey-server on PATH, else the distribution's package unpacked into `cacheDir`.
 * Own process, free loopback port, password, noeviction, AOF every second below `dataDir`. Throws a sentence that says
 * how to get it where there is none.
 */
export async function startRedis({ dataDir, cacheDir }: { dataDir: string; cacheDir: string }): Promise<Service> {
  const { path, libraries } = await findRedis(cacheDir);
  const folder = join(dataDir, "redis");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const port = await freePort();
  const password = randomBytes(18).toString("base64url");
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: folder,
    appendonly: "yes",
    appendfsync: "everysec",
    "maxmemory-policy": "noeviction",
    save: "",
  };
  const child = spawn(path, ["-"], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
    env: { PATH: readEnv()["PATH"], ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }) },
  });
  // By stdin, since the command line is everyone's to read.
  const lines = Object.entries(settings).map(([name, value]) => `${name} "${value}"`);
  child.stdin.end(`${lines.join("\n")}\nrequirepass "${password}"\n`);
  await readyWhen(child, /Ready to accept connections/, "redis-server");
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async close() {
      child.kill("SIGTERM");
      await gone(child);
    },
  };
}

async function findRedis(cacheDir: string): Promise<{ path: string; libraries: string | null }> {
  const onPath = findProgram(["redis-server", "valkey-server"], readEnv()["PATH"] ?? "");
  if (onPath) return { path: onPath, libraries: null };
  const packages = ["redis-server", "redis-tools", "libjemalloc2", "liblzf1"];
  const unpacked = process.platform === "linux" ? await unpackDebianPackages(cacheDir, "redis", packages) : null;
  if (!unpacked)
    throw new Error(
      `Redis is needed: ${process.platform === "darwin" ? "brew install redis" : "install redis-server or valkey-server with your system's package manager"}, or set REDIS_URL.`,
    );
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return { path: join(unpacked, "usr/bin/redis-server"), libraries: join(unpacked, "usr/lib", triplet) };
}
