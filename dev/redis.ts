import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { freePort } from "./free-port.ts";
import { lockDirectory } from "./lock-directory.ts";
import { endRecordedProcess } from "./recorded-process.ts";
import type { Program } from "./debian-package.ts";
import { findRedisBinary } from "./redis-binary.ts";
import { type Service, ServiceDidNotStart, type ServiceProcess, startService } from "./start-service.ts";

export type RedisOptions = {
  /** The append-only file is in its folder `redis`, which is made when missing, and outlives restarts. */
  dataDir: string;
  /** The distribution's package is unpacked here when no server is installed. */
  cacheDir: string;
  /** The URL of an earlier start, whose port and password are used again. */
  url?: string;
};

const stopSignals: [NodeJS.Signals, number][] = [["SIGTERM", 3_000]];

/**
 * Starts a Redis on a free loopback port, with a new password at each start. The append-only file is synced every second;
 * `noeviction`, since a queue must refuse entries rather than lose them. A server that a killed launcher left running on
 * `dataDir` is ended first. Throws ServiceDidNotStart, or an error when another process uses `dataDir` or there is no Redis.
 */
export async function startRedis(options: RedisOptions): Promise<Service> {
  const dataDir = resolve(options.dataDir, "redis");
  const binary = await findRedisBinary(resolve(options.cacheDir));
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockDirectory(dataDir);
  try {
    await endRecordedProcess(join(dataDir, "process.json"), stopSignals);
    const before = options.url === undefined ? null : new URL(options.url);
    const password = before?.password ?? randomBytes(24).toString("hex");
    const wanted = before && Number(before.port);
    const { service, port } = await launch({ binary, dataDir, password, wanted });
    return {
      url: `redis://:${password}@127.0.0.1:${port}`,
      pid: service.pid,
      ended: service.ended,
      async close() {
        await service.stop();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

type Launch = { binary: Program; dataDir: string; password: string; wanted: number | null };

async function launch({
  binary,
  dataDir,
  password,
  wanted,
}: Launch): Promise<{ service: ServiceProcess; port: number }> {
  const configFile = join(dataDir, "redis.conf");
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort());
    // A file, since every user of the machine can read a command line with the password.
    await writeFile(configFile, redisConfig(port, password), { mode: 0o600 });
    const command = {
      name: "redis",
      file: binary.file,
      args: [configFile],
      options: { cwd: dataDir, env: binary.libraryPath ? { LD_LIBRARY_PATH: binary.libraryPath } : {} },
      ready: /Ready to accept connections/i,
      record: join(dataDir, "process.json"),
      stopSignals,
    };
    try {
      return { service: await startService(command), port };
    } catch (error) {
      const portTaken = error instanceof ServiceDidNotStart && /Address already in use/i.test(error.lastLines);
      if (!portTaken || attempt >= 5) throw error;
    }
  }
}

/** Without a `dir` line, since a path may hold spaces or quotes: Redis uses its current directory. */
function redisConfig(port: number, password: string): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    `requirepass ${password}`,
    "daemonize no",
    "maxmemory-policy noeviction",
    "appendonly yes",
    "appendfsync everysec",
    'save ""',
    'logfile ""',
    "",
  ].join("\n");
}
