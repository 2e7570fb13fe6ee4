import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, inject } from "vitest";
import type * as Api from "../../api/open-api.ts";
import { loginUrl } from "../../dev/database-roles.ts";
import { freePort } from "../../dev/free-port.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { type Config, loadConfig } from "../../shared/platform/config/load-config.ts";
import { createLog, type Log } from "../../shared/platform/log.ts";
import type * as Machines from "../../worker/machine.ts";
import type * as Worker from "../../worker/open-worker.ts";
import { copyTemplate } from "./test-database.ts";
import { waitFor } from "./wait-for.ts";

export type Role = "api" | "worker";
export type Member = {
  child: ChildProcess;
  url: string;
  /** What it has written to its log so far. */
  logged(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** A stack of real processes: its own database, its own Redis prefix. */
export type TestStack = {
  /** As a superuser; members log in as a role that reads and writes rows only. */
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  /** What every member is started with. */
  env: Record<string, string>;
  sql: pg.Pool;
  redis: Redis;
  /** Starts a built API or worker and waits until it is ready. */
  start(role: Role, env?: Record<string, string>): Promise<Member>;
  /** Opens an API in this process. A process of its own takes the time of twenty requests to start, and of 1,000 to become fast. */
  openApi(env?: Record<string, string>): Promise<OpenedApi>;
  /** Opens a worker in this process. */
  openWorker(env?: Record<string, string>): Promise<OpenedWorker>;
  /** An API and a worker of this process. */
  startService(env?: Partial<Record<Role, Record<string, string>>>): Promise<Service>;
  /** An API and a worker that are processes of their own. */
  startMembers(env?: Partial<Record<Role, Record<string, string>>>): Promise<Members>;
  /** Ends what a worker that is gone holds by lease, as if the time had passed. */
  lapse(worker: Member): Promise<void>;
  close(): Promise<void>;
};

export type OpenedApi = { url: string; close(): Promise<void> };
export type OpenedWorker = { close(): Promise<void> };
export type Service = { url: string; api: OpenedApi; worker: OpenedWorker };
export type Members = { url: string; api: Member; worker: Member };

/** A stack for the test file that calls this at its top level, closed after the file's last test. */
export async function useTestStack(): Promise<TestStack> {
  const stack = await openTestStack();
  afterAll(() => stack.close());
  return stack;
}

export async function openTestStack(): Promise<TestStack> {
  const database = await copyTemplate(inject("databaseUrl"), inject("templateDatabase"));
  const databaseUrl = database.url;
  const prefix = `${database.name}:`;
  const sql = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  sql.on("error", () => undefined);
  const redis = new Redis(inject("redisUrl"));
  const members: Member[] = [];
  const opened: (() => Promise<void>)[] = [];
  // A file that fails while it is loaded comes to no afterAll. Vitest ends its process by SIGTERM.
  const killMembers = () => void members.map(({ child }) => child.kill("SIGKILL"));
  const leave = () => process.exit();
  process.once("exit", killMembers).once("SIGTERM", leave);
  const shared: Record<string, string> = {
    PATH: readEnv()["PATH"] ?? "",
    DATABASE_URL: loginUrl(databaseUrl),
    DATABASE_POOL: "6",
    REDIS_URL: inject("redisUrl"),
    REDIS_PREFIX: prefix,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    LOG_LEVEL: readEnv()["TEST_LOG_LEVEL"] ?? "error",
    CALLBACK_ALLOW_CIDRS: "127.0.0.0/8",
    CALLBACK_SCHEDULE_SCALE: "0.0005",
    // A busy machine may be late by seconds. Nobody waits for a lease to end: see `lapse`.
    LEASE_MS: "6000",
    SHUTDOWN_GRACE_MS: "3000",
    WORKER_SLOTS: "6",
    // Whatever this machine proves: the agents are ours.
    SANDBOX_MIN_LEVEL: "0",
    ...(inject("bwrap") && { BWRAP: inject("bwrap") ?? "" }),
  };

  async function start(role: Role, env: Record<string, string> = {}): Promise<Member> {
    // A member that is started again may have to be where it was.
    const port = env["PORT"] ?? String(await freePort());
    const child = spawn(process.execPath, inject("commands")[role], {
      env: { ...shared, PORT: port, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const member = {
      child,
      url: `http://127.0.0.1:${port}`,
      logged: keepLog(child),
      stop: (signal?: NodeJS.Signals) => stop(child, signal),
    };
    members.push(member);
    await waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`${role} ended with code ${child.exitCode}: ${member.logged()}`);
      return role === "api"
        ? (await fetch(`${member.url}/health/live`).catch(() => null))?.ok
        : hasJoined(sql, child.pid);
    }, 60_000);
    return member;
  }

  async function openApi(env: Record<string, string> = {}): Promise<OpenedApi> {
    const port = env["PORT"] ?? String(await freePort());
    const built: typeof Api = await importBuilt("api/open-api.js");
    const config = loadConfig({ ...shared, SHUTDOWN_NOTICE_MS: "0", PORT: port, ...env });
    const api = await built.openApi(config, createLog("api", config.logLevel), null);
    opened.push(() => api.close());
    return { url: `http://127.0.0.1:${port}`, close: () => api.close() };
  }

  async function openWorker(env: Record<string, string> = {}): Promise<OpenedWorker> {
    const built: typeof Worker = await importBuilt("worker/open-worker.js");
    const config = loadConfig({ ...shared, ...env });
    const log = createLog("worker", config.logLevel);
    const { machine, isOwn } = await machineOf(config, loadConfig(shared), log);
    const worker = await built.openWorker(config, log, { machine, tracing: null });
    opened.push(async () => {
      await worker.close(0);
      if (isOwn) await machine.close();
    });
    return { close: () => worker.close(config.shutdownGraceMs) };
  }

  return {
    databaseUrl,
    redisUrl: inject("redisUrl"),
    prefix,
    env: shared,
    sql,
    redis,
    start,
    openApi,
    openWorker,
    async startService(env = {}) {
      const [api, worker] = await Promise.all([openApi(env.api), openWorker(env.worker)]);
      return { url: api.url, api, worker };
    },
    async startMembers(env = {}) {
      const [api, worker] = await Promise.all([start("api", env.api), start("worker", env.worker)]);
      return { url: api.url, api, worker };
    },
    async lapse({ child }) {
      for (const statement of lapses) await sql.query(statement, [child.pid]);
    },
    async close() {
      process.off("exit", killMembers).off("SIGTERM", leave);
      await Promise.all([...members.map((member) => member.stop("SIGKILL")), ...opened.map((close) => close())]);
      redis.disconnect();
      await sql.end();
      await database.drop();
    },
  };
}

/** The machine of workers without settings of their own is opened, and its sandbox proven, once for all test files of this process. */
let usualMachine: Promise<Machines.Machine> | null = null;

async function machineOf(
  config: Config,
  usual: Config,
  log: Log,
): Promise<{ machine: Machines.Machine; isOwn: boolean }> {
  const built: typeof Machines = await importBuilt("worker/machine.js");
  const settings = ({ sandbox, installer, egress, containerImages, logLevel }: Config) =>
    JSON.stringify([sandbox, installer, egress, containerImages, logLevel]);
  const isOwn = settings(config) !== settings(usual);
  return {
    machine: await (isOwn ? built.openMachine(config, log) : (usualMachine ??= built.openMachine(usual, log))),
    isOwn,
  };
}

/** As Node loads it: once for all test files of this process. */
const importBuilt = (path: string) => import(pathToFileURL(resolve("dist", path)).href);

const heldBy = "IN (SELECT id FROM workers WHERE pid = $1)";
const lapses = [
  `UPDATE runs SET lease_until = now() WHERE status = 'running' AND worker_id ${heldBy}`,
  `UPDATE daemons SET lease_until = now() WHERE lease_until > now() AND worker_id ${heldBy}`,
  `UPDATE threads SET session_until = now() WHERE session_until > now() AND session_worker_id ${heldBy}`,
];

const hasJoined = async (sql: pg.Pool, pid: number | undefined): Promise<boolean> =>
  (await sql.query("SELECT 1 FROM workers WHERE pid = $1", [pid])).rows.length > 0;

/** Shows what a process says, and keeps it. */
function keepLog(child: ChildProcess): () => string {
  let text = "";
  for (const [from, to] of [[child.stdout, process.stdout] as const, [child.stderr, process.stderr] as const])
    from?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      to.write(chunk);
    });
  return () => text;
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await gone;
}
