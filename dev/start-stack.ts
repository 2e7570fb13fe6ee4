import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { Env } from "../shared/platform/config/env.ts";
import { loadConfig } from "../shared/platform/config/load-config.ts";
import { type Close, closeInReverse } from "../shared/platform/lifecycle/close-in-reverse.ts";
import { findBubblewrap } from "./bubblewrap.ts";
import { loadDevConfig } from "./dev-config.ts";
import { takeOver } from "./leftovers.ts";
import { startPostgres } from "./postgres.ts";
import { cacheDir, projectFolder } from "./reachable.ts";
import { prepareEmbedded, prepareGiven } from "./prepare-database.ts";
import { startRedis } from "./redis.ts";
import type { Service } from "./start-service.ts";
import { supervise } from "./supervise.ts";

/** `databaseUrl` is that of the role that owns the tables. */
export type Stack = { url: string; databaseUrl: string; redisUrl: string; close: () => Promise<void> };

const killAfterMs = 7_000;
const readyWithinMs = 60_000;

/**
 * Starts everything on one machine: Postgres and Redis (embedded, unless their URLs are given), one API, and the workers.
 * Resolves when the API is ready. The processes' logs go to `logFile`, or to this process's own output.
 */
export async function startStack(env: Env, signal: AbortSignal, logFile?: string): Promise<Stack> {
  const config = loadDevConfig(env);
  const dataDir = resolve(config.DATA_DIR);
  mkdirSync(dataDir, { recursive: true });
  const record = await takeOver(dataDir);
  const opened: Close[] = [() => record.clear()];
  const service = async (given: string | undefined, start: () => Promise<Service>): Promise<string> => {
    if (given !== undefined) return given;
    const started = await start();
    opened.push(() => started.close());
    return started.url;
  };
  try {
    // After the leftovers have ended, since one of them may have used the port.
    await refuseTakenPort(config.HOST, config.PORT);
    const starting = [
      service(config.DATABASE_URL, () => startPostgres({ dataDir })),
      service(config.REDIS_URL, () => startRedis({ dataDir, cacheDir: cacheDir() })),
      env["BWRAP"] ? Promise.resolve(env["BWRAP"]) : findBubblewrap(cacheDir()),
    ] as const;
    // When one fails, the others may still be starting: they are awaited, and then closed below.
    await Promise.allSettled(starting);
    const [databaseUrl, redisUrl, bwrap] = await Promise.all(starting);
    const { ownerUrl, processUrl } = await (config.DATABASE_URL === undefined
      ? prepareEmbedded(databaseUrl)
      : prepareGiven(databaseUrl));
    const shared = {
      ...env,
      HOST: config.HOST,
      PORT: String(config.PORT),
      DATABASE_URL: processUrl,
      REDIS_URL: redisUrl,
      ENCRYPTION_KEYS: config.ENCRYPTION_KEYS ?? readKeys(dataDir),
      ...(bwrap && { BWRAP: bwrap }),
      SANDBOX_MIN_LEVEL: env["SANDBOX_MIN_LEVEL"] || leastLevel(config.HOST),
    };
    // Throws here, once, for settings that each of the processes would refuse.
    loadConfig(shared);
    const output = logFile ? openSync(logFile, "a") : ("inherit" as const);
    const options = { env: shared, output, onStart: (pid: number) => record.add(pid) };
    const script = (role: string): string => join(projectFolder(), "dist", role, "main.js");
    const roles = ["api", ...Array.from({ length: config.WORKERS }, () => "worker")];
    const members = roles.map((role) => supervise(script(role), options));
    opened.push(() => Promise.all(members.map((member) => member.stop(killAfterMs))).then(() => undefined));
    const url = `http://${config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST}:${config.PORT}`;
    if (config.WORKERS > 0) {
      await ready(url, signal);
      await warnOfLevel0(url);
    }
    return { url, databaseUrl: ownerUrl, redisUrl, close: () => closeInReverse(opened) };
  } catch (error) {
    await closeInReverse(opened);
    throw error;
  }
}

async function ready(url: string, signal: AbortSignal): Promise<void> {
  for (let waited = 0; !(await fetch(`${url}/health/ready`).catch(() => null))?.ok; waited += 50) {
    if (waited > readyWithinMs) throw new Error("The API is not ready after a minute; its log says why.");
    await sleep(50, undefined, { signal });
  }
}

/** On loopback the agents are the developer's own, so level 0 is allowed. For other addresses SANDBOX_MIN_LEVEL must allow it. */
function leastLevel(host: string): string {
  return ["127.0.0.1", "::1", "localhost"].includes(host) ? "0" : "1";
}

async function warnOfLevel0(url: string): Promise<void> {
  const body = await fetch(`${url}/health`).then((response) => response.json());
  const { sandbox_levels, sandbox_missing } = isolation.parse(body);
  if (!sandbox_levels.includes(0)) return;
  console.warn(`Agents run without isolation here (level 0): run only what you trust. ${sandbox_missing.join("; ")}.`);
}

const isolation = z.object({ sandbox_levels: z.array(z.number()), sandbox_missing: z.array(z.string()) });

function refuseTakenPort(host: string, port: number): Promise<void> {
  return new Promise((resolveFree, reject) => {
    const server = createServer();
    server.once("error", () => reject(new Error(`Port ${port} on ${host} is taken; set PORT to another one.`)));
    server.listen(port, host, () => server.close(() => resolveFree()));
  });
}

/** The key is made once: values that it sealed must open after a restart. */
function readKeys(dataDir: string): string {
  const file = join(dataDir, "encryption-keys");
  if (!existsSync(file)) writeFileSync(file, `k1:${randomBytes(32).toString("base64")}`, { mode: 0o600 });
  return readFileSync(file, "utf8").trim();
}
