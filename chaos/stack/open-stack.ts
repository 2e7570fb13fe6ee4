import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findBubblewrap } from "../../dev/bubblewrap.ts";
import { freePort } from "../../dev/free-port.ts";
import { startPostgres } from "../../dev/postgres.ts";
import { cacheDir, projectFolder, reachableFolder } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";
import { deployMigrations } from "../../prisma/deploy.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { type Close, closeInReverse } from "../../shared/platform/lifecycle/close-in-reverse.ts";
import { type BreakableService, openBreakable } from "./breakable-service.ts";
import { type Member, startMember } from "./member.ts";

/** A whole stack of which every part can be broken: Postgres, Redis, two APIs and the workers. */
export type ChaosStack = {
  postgres: BreakableService;
  redis: BreakableService;
  apis: Member[];
  apiUrls: [string, ...string[]];
  workers: Member[];
  leaseMs: number;
  logFile: string;
  /** `keep`: true to keep the logs. */
  close(keep: boolean): Promise<void>;
};

export const leaseMs = 3_000;
const bootMs = 120_000;

/** Node's arguments that start a member. */
export type Commands = Record<"api" | "worker", readonly string[]>;

export const builtMembers: Commands = {
  api: [join(projectFolder(), "dist/api/main.js")],
  worker: [join(projectFolder(), "dist/worker/main.js")],
};

/** `env`: further settings of every member. */
export async function openChaosStack(
  workerCount: number,
  commands: Commands,
  env: Record<string, string> = {},
): Promise<ChaosStack> {
  const directory = mkdtempSync(join(reachableFolder("/var/tmp/runfleet-chaos"), "stack-"));
  chmodSync(directory, 0o711);
  const opened: Close[] = [];
  const opens = <T extends { close(): Promise<void> }>(part: T): T => {
    opened.push(() => part.close());
    return part;
  };
  try {
    const url = (before?: string) => (before === undefined ? {} : { url: before });
    const postgres = opens(await openBreakable((before) => startPostgres({ dataDir: directory, ...url(before) })));
    const redis = opens(
      await openBreakable((before) => startRedis({ dataDir: directory, cacheDir: cacheDir(), ...url(before) })),
    );
    await deployMigrations(postgres.url);
    const bwrap = await findBubblewrap(cacheDir());
    const logFile = join(directory, "log");
    const shared = { ...settings(postgres.url, redis.url), ...(bwrap && { BWRAP: bwrap }), ...env };
    const member = (role: "api" | "worker", name: string, own: Record<string, string>): Member =>
      opens(
        startMember({
          name,
          command: commands[role],
          env: { PATH: readEnv()["PATH"], ...shared, ...own },
          logFile,
          ready: role === "api" ? /"msg":"api ready"/ : /"msg":"worker ready"/,
        }),
      );
    const ports = [await freePort(), await freePort()] as const;
    const apis = ports.map((port, i) => member("api", `api-${i + 1}`, { PORT: String(port) }));
    const workers = Array.from({ length: workerCount }, (_, i) => member("worker", `worker-${i + 1}`, {}));
    await withinBoot(Promise.all([...apis, ...workers].map((one) => one.ready())), logFile);
    return {
      postgres,
      redis,
      apis,
      apiUrls: [`http://127.0.0.1:${ports[0]}`, `http://127.0.0.1:${ports[1]}`],
      workers,
      leaseMs,
      logFile,
      async close(keep) {
        await closeInReverse(opened);
        if (!keep) rmSync(directory, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await closeInReverse(opened);
    throw error;
  }
}

/** Bounds the wait: a process that can't start is started again and again, and never gets ready. */
export async function withinBoot(ready: Promise<unknown>, logFile: string): Promise<void> {
  const late = new AbortController();
  const timer = sleep(bootMs, "late", { signal: late.signal }).catch(() => null);
  if ((await Promise.race([ready, timer])) === "late") throw new Error(`The stack isn't ready in time: see ${logFile}`);
  late.abort();
}

/** What every member is started with. */
export function settings(databaseUrl: string, redisUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    CALLBACK_ALLOW_CIDRS: "127.0.0.0/8",
    CALLBACK_SCHEDULE_SCALE: "0.0005",
    LEASE_MS: String(leaseMs),
    SHUTDOWN_GRACE_MS: "1000",
    WORKER_SLOTS: "8",
  };
}
