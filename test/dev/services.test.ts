import { spawn } from "node:child_process";
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { startPostgres } from "../../dev/postgres.ts";
import { identifyProcess } from "../../dev/process-identity.ts";
import { cacheDir } from "../../dev/reachable.ts";
import { startRedis } from "../../dev/redis.ts";

const dir = mkdtempSync(join(tmpdir(), "runfleet-test-"));
chmodSync(dir, 0o711);
const cache = cacheDir();
const isRoot = process.getuid?.() === 0;
afterAll(() => rmSync(dir, { recursive: true, force: true }));

async function query(url: string, sql: string): Promise<unknown> {
  const target = new URL(url);
  target.pathname = "/postgres";
  const client = new pg.Client({ connectionString: target.href });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows[0];
  } finally {
    await client.end();
  }
}

test("Postgres keeps its data over a restart, and syncs to disk unless told otherwise", async () => {
  const dataDir = join(dir, "kept");
  const first = await startPostgres({ dataDir });
  await query(first.url, "create table kept as select 42 as n");
  expect(await query(first.url, "show fsync")).toEqual({ fsync: "on" });
  await first.close();
  const second = await startPostgres({ dataDir, fsync: false });
  expect(await query(second.url, "select n from kept")).toEqual({ n: 42 });
  expect(await query(second.url, "show fsync")).toEqual({ fsync: "off" });
  await second.close();
});

test("Redis never evicts, appends to its file, and keeps it over a restart", async () => {
  const dataDir = join(dir, "kept");
  const first = await startRedis({ dataDir, cacheDir: cache });
  const client = new Redis(first.url);
  await client.set("kept", "yes");
  expect(await client.config("GET", "maxmemory-policy")).toContain("noeviction");
  expect(await client.config("GET", "appendfsync")).toContain("everysec");
  await client.quit();
  await first.close();
  const second = await startRedis({ dataDir, cacheDir: cache });
  const again = new Redis(second.url);
  expect(await again.get("kept")).toBe("yes");
  await again.quit();
  await second.close();
});

test.runIf(isRoot)("Postgres runs even where its own user can't reach the data directory", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "runfleet-private-"));
  const postgres = await startPostgres({ dataDir, fsync: false });
  expect(await query(postgres.url, "select 1 as n")).toEqual({ n: 1 });
  await postgres.close();
  const cluster = join(dataDir, "postgres", "cluster");
  expect(lstatSync(cluster).isSymbolicLink()).toBe(true);
  rmSync(dirname(realpathSync(cluster)), { recursive: true });
  rmSync(dataDir, { recursive: true });
});

test("a first start that was killed half-way is made good by the next", async () => {
  const dataDir = join(dir, "half-way");
  const half = join(dataDir, "postgres", "new-half", "cluster");
  mkdirSync(half, { recursive: true });
  writeFileSync(join(half, "PG_VERSION"), "18\n");
  const postgres = await startPostgres({ dataDir, fsync: false });
  expect(await query(postgres.url, "select 1 as n")).toEqual({ n: 1 });
  await postgres.close();
  expect(existsSync(half)).toBe(false);
});

test("a directory in use is refused, naming the process that uses it", async () => {
  const dataDir = join(dir, "shared");
  const [postgres, redis] = await Promise.all([
    startPostgres({ dataDir, fsync: false }),
    startRedis({ dataDir, cacheDir: cache }),
  ]);
  const refusal = `process ${process.pid} is running on it already`;
  await expect(startPostgres({ dataDir })).rejects.toThrow(refusal);
  await expect(startRedis({ dataDir, cacheDir: cache })).rejects.toThrow(refusal);
  await Promise.all([redis.close(), postgres.close()]);
});

test("a wrong password is refused by both", async () => {
  const dataDir = join(dir, "password");
  const postgres = await startPostgres({ dataDir, fsync: false });
  const redis = await startRedis({ dataDir, cacheDir: cache });
  const wrong = new URL(postgres.url);
  wrong.password = "wrong";
  await expect(query(wrong.href, "select 1")).rejects.toThrow("password authentication failed");
  const target = new URL(redis.url);
  const client = new Redis({ host: target.hostname, port: Number(target.port), lazyConnect: true });
  client.on("error", () => undefined);
  await expect(client.get("a")).rejects.toThrow("NOAUTH");
  client.disconnect();
  await Promise.all([redis.close(), postgres.close()]);
});

test.each(["postgres", "redis"] as const)("%s recovers after it was killed", async (kind) => {
  const dataDir = join(dir, `killed-${kind}`);
  const start = () => (kind === "postgres" ? startPostgres({ dataDir }) : startRedis({ dataDir, cacheDir: cache }));
  const first = await start();
  process.kill(first.pid, "SIGKILL");
  expect(await first.ended).toBe("ended by SIGKILL");
  await first.close();
  const second = await start();
  await second.close();
});

test("what a killed launcher left running is ended by the next start", async () => {
  const dataDir = join(dir, "orphans");
  const left = await startAndDie(dataDir);
  expect(left.map((pid) => identifyProcess(pid)?.pid)).toEqual(left);
  const postgres = await startPostgres({ dataDir });
  const redis = await startRedis({ dataDir, cacheDir: cache });
  expect(left.map((pid) => identifyProcess(pid))).toEqual([null, null]);
  await Promise.all([redis.close(), postgres.close()]);
  expect(existsSync(join(dataDir, "postgres", "lock"))).toBe(false);
});

/** The process ids of the services of a launcher that started both and was then killed. */
async function startAndDie(dataDir: string): Promise<number[]> {
  const built = join(import.meta.dirname, "../../dist/dev");
  const program = `
    const { startPostgres } = await import(${JSON.stringify(join(built, "postgres.js"))});
    const { startRedis } = await import(${JSON.stringify(join(built, "redis.js"))});
    const dataDir = ${JSON.stringify(dataDir)};
    const services = [await startPostgres({ dataDir }), await startRedis({ dataDir, cacheDir: ${JSON.stringify(cache)} })];
    process.stdout.write(JSON.stringify(services.map((service) => service.pid)), () => process.kill(process.pid, "SIGKILL"));
  `;
  const launcher = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  launcher.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await new Promise((resolve) => launcher.once("exit", resolve));
  return JSON.parse(said) as number[];
}
