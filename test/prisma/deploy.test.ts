import { readFileSync, readdirSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import pg from "pg";
import { expect, inject, onTestFinished, test } from "vitest";
import { deployMigrations } from "../../prisma/deploy.ts";
import { waitFor } from "../harness/wait-for.ts";
import { freshDatabaseUrl, query } from "./fresh-database.ts";

const schema = readFileSync(new URL("../../prisma/schema.prisma", import.meta.url), "utf8");
const migrations = readdirSync(new URL("../../prisma/migrations", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .toSorted();

const history = (url: string) => query(url, "SELECT * FROM _prisma_migrations ORDER BY migration_name");

test("creates the missing database and applies every migration in order", async () => {
  const url = freshDatabaseUrl();
  expect(await deployMigrations(url)).toEqual({ applied: migrations });
  expect((await history(url)).map((row) => row["migration_name"])).toEqual(migrations);
});

test("waits for a server that is not there yet, or only starts", async () => {
  const url = new URL(freshDatabaseUrl());
  const { hostname, port } = url;
  const refusals = ["reset", "starting up"];
  // In Postgres' protocol: E, the length, fields that end with a zero.
  const startingUp = Buffer.from("E\0\0\0\x1bSFATAL\0C57P03\0Mstarts\0\0", "latin1");
  const gate = createServer((socket) => {
    const refusal = refusals.shift();
    if (refusal === "reset") return socket.resetAndDestroy();
    if (refusal) return void socket.once("data", () => socket.end(startingUp));
    const server = connect(Number(port), hostname);
    socket.pipe(server).pipe(socket);
    for (const one of [socket, server]) one.on("error", () => undefined);
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void gate.close());
  url.host = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
  expect(await deployMigrations(url.href)).toEqual({ applied: migrations });
  expect(refusals).toEqual([]);
});

test("a second deploy changes nothing", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  const before = await history(url);
  expect(await deployMigrations(url)).toEqual({ applied: [] });
  expect(await history(url)).toEqual(before);
});

test("of deployers that start at once on no database, one applies and the others find it done", async () => {
  const url = freshDatabaseUrl();
  const results = await Promise.all(Array.from({ length: 4 }, () => deployMigrations(url)));
  expect(results.flatMap(({ applied }) => applied)).toEqual(migrations);
  expect(await history(url)).toHaveLength(migrations.length);
});

test("refuses a migration that was edited after it was applied", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  await query(url, "UPDATE _prisma_migrations SET checksum = repeat('0', 64)");
  await expect(deployMigrations(url)).rejects.toThrow(/was edited after it was applied/);
});

test("refuses to go on after a failed migration, until it is marked as rolled back", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  await query(url, "UPDATE _prisma_migrations SET finished_at = NULL");
  await expect(deployMigrations(url)).rejects.toThrow(/failed before/);
  await query(
    url,
    `UPDATE _prisma_migrations SET rolled_back_at = now();
     CREATE SCHEMA kept; ALTER TABLE _prisma_migrations SET SCHEMA kept; DROP SCHEMA public CASCADE; ALTER SCHEMA kept RENAME TO public`,
  );
  expect(await deployMigrations(url)).toEqual({ applied: migrations });
});

test("refuses a database that a newer version has deployed to", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  await query(
    url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '29990101000000_later', now())`,
  );
  await expect(deployMigrations(url)).rejects.toThrow(/29990101000000_later.*newer/);
});

test("a migration that fails leaves nothing behind, and is applied by the next deploy", async () => {
  const url = freshDatabaseUrl();
  await query(inject("databaseUrl"), `CREATE DATABASE ${new URL(url).pathname.slice(1)}`);
  await query(url, "CREATE TABLE workers (in_the_way int)");
  await expect(deployMigrations(url)).rejects.toThrow(/failed and was undone/);
  expect(await query(url, "SELECT tablename FROM pg_tables WHERE tablename = 'runs'")).toEqual([]);
  await query(url, "DROP TABLE workers");
  expect(await deployMigrations(url)).toEqual({ applied: migrations });
});

test("no time limit of its role or of the database ends a migration", async () => {
  const url = freshDatabaseUrl();
  const name = new URL(url).pathname.slice(1);
  const admin = inject("databaseUrl");
  await query(admin, `CREATE DATABASE ${name}`);
  await query(admin, `ALTER DATABASE ${name} SET statement_timeout = '200ms'`);
  // An index that is built concurrently waits for this transaction's snapshot.
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  await reader.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await reader.query("SELECT 1");
  const deployed = deployMigrations(url);
  const hasWaited = async (): Promise<boolean> => {
    const waiting = await query(
      admin,
      `SELECT 1 FROM pg_stat_activity WHERE datname = '${name}' AND query ~ 'INDEX CONCURRENTLY'
       AND state = 'active' AND clock_timestamp() - query_start > interval '400 ms'`,
    );
    return waiting.length > 0;
  };
  try {
    await Promise.race([deployed, waitFor(hasWaited)]);
  } finally {
    await reader.end();
  }
  expect(await deployed).toEqual({ applied: migrations });
});

test("every model has its table, and every `// sql:` line of the schema its index", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  const tables = await query(
    url,
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'",
  );
  const models = [...schema.matchAll(/^model [\s\S]*?@@map\("(\w+)"\)/gm)].map((match) => match[1]);
  expect(models.length).toBeGreaterThan(40);
  expect(tables.map((row) => row["name"]).toSorted()).toEqual(models.toSorted());

  const partial = await query(
    url,
    "SELECT CASE WHEN indisunique THEN 'unique ' ELSE '' END || indexrelid::regclass AS name FROM pg_index WHERE indpred IS NOT NULL AND indrelid >= 16384",
  );
  const named = [...schema.matchAll(/^ {2}\/\/ sql: ((?:unique )?\w+) \(/gm)].map((match) => match[1]);
  expect(partial.map((row) => row["name"]).toSorted()).toEqual(named.toSorted());
});

const insertRun = (id: string, thread: string, status: string) =>
  `INSERT INTO runs (id, user_id, agent_id, version, thread_id, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms, input_payload, history, files, request_hash, expires_at)
   VALUES ('${id}', 'u', 'a', '1', '${thread}', '${status}', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', now())`;

test("two runs of one thread can't be running at once", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  await query(url, insertRun("one", "t", "running"));
  await query(url, insertRun("waiting", "t", "queued"));
  await query(url, insertRun("elsewhere", "t2", "running"));
  await expect(query(url, insertRun("two", "t", "running"))).rejects.toThrow(/runs_one_running_per_thread/);
});

test("a heartbeat or progress of a run touches no index", async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  await query(url, insertRun("one", "t", "running"));
  const [heartbeat] = await query(
    url,
    `UPDATE runs SET lease_until = now(), last_seq = last_seq + 1, current_status = 'working' WHERE id = 'one';
     SELECT pg_stat_get_xact_tuples_hot_updated('runs'::regclass)::int AS hot`,
  );
  expect(heartbeat).toEqual({ hot: 1 });
});
