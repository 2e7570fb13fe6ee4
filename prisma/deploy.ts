import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { errorText } from "../shared/platform/error-text.ts";

/**
 * Applies what `prisma/migrations` holds beyond the database's `_prisma_migrations`, as `prisma migrate deploy` would:
 * same table, same checksums, same advisory lock, so that the stock command may be used before and after it. Unlike it,
 * each file is one transaction, so a failing one leaves nothing behind. A file of one statement with CONCURRENTLY has no
 * transaction; the invalid index that it leaves when it fails is dropped before the next try.
 *
 * No statement waits long for a table's lock: it is tried again.
 *
 * Creates the database when it is missing. Any number may run at once: one applies, the others then find nothing to do.
 * Throws when a migration was edited after it was applied, failed before, or is unknown to this version of the service.
 *
 * @returns the names of the migrations that this call applied, in order
 */
export async function deployMigrations(databaseUrl: string): Promise<{ applied: string[] }> {
  const migrations = readMigrations(migrationsFolder());
  const client = await connect(databaseUrl);
  try {
    const done = checkHistory(migrations, await readHistory(client));
    if (done.size === migrations.length) return { applied: [] };
    await lock(client);
    return { applied: await applyMissing(client, migrations) };
  } finally {
    await client.end();
  }
}

type Migration = { name: string; sql: string; checksum: string };
type HistoryRow = { migration_name: string; checksum: string; finished_at: Date | null; rolled_back_at: Date | null };

/** The number that Prisma's own schema engine locks. The lock ends with the connection. */
const prismaMigrateLock = 72707369;

/** Asks again and again: an index that is built concurrently would wait for a statement that waits for this lock. */
async function lock(client: pg.Client): Promise<void> {
  const ask = "SELECT pg_try_advisory_lock($1) AS is_locked";
  while (!(await client.query<{ is_locked: boolean }>(ask, [prismaMigrateLock])).rows[0]?.is_locked) await sleep(200);
}

/** As Prisma's schema engine writes it. */
const historyTable = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                      VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum                VARCHAR(64) NOT NULL,
    finished_at             TIMESTAMPTZ,
    migration_name          VARCHAR(255) NOT NULL,
    logs                    TEXT,
    rolled_back_at          TIMESTAMPTZ,
    started_at              TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count     INTEGER NOT NULL DEFAULT 0
)`;

/** `prisma/migrations` of the package, found from the source as well as from `dist/prisma`. */
function migrationsFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "prisma", "migrations", "migration_lock.toml"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No prisma/migrations above ${import.meta.dirname}`);
    folder = parent;
  }
  return join(folder, "prisma", "migrations");
}

function readMigrations(folder: string): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => {
      const sql = readFileSync(join(folder, name, "migration.sql"), "utf8");
      return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

async function connect(databaseUrl: string): Promise<pg.Client> {
  try {
    return await openOnceThere(databaseUrl);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && error.code === "3D000")) throw error;
    await createDatabase(databaseUrl);
    return await open(databaseUrl);
  }
}

/**
 * A server that is started beside the deployer may be some seconds away: no name of it, no route, no listener, a proxy that closes
 * at once (pg gives that error no code), or a server that starts or ends.
 */
const notThereYet = /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|57P0[123])$/;
const isNotThereYet = (error: unknown): boolean =>
  error instanceof Error &&
  (notThereYet.test("code" in error ? String(error.code) : "") ||
    error.message === "Connection terminated unexpectedly");
const patienceMs = 30_000;

async function openOnceThere(databaseUrl: string): Promise<pg.Client> {
  const end = performance.now() + patienceMs;
  for (;;)
    try {
      return await open(databaseUrl);
    } catch (error) {
      if (!isNotThereYet(error) || performance.now() > end) throw error;
      await sleep(500);
    }
}

async function open(databaseUrl: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    // The role of a service behind a pooler has limits of its own; a migration takes the time that it needs.
    await client.query("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0");
  } catch (error) {
    await client.end();
    throw error;
  }
  return client;
}

async function createDatabase(databaseUrl: string): Promise<void> {
  const url = new URL(databaseUrl);
  const name = decodeURIComponent(url.pathname.slice(1));
  url.pathname = "/postgres";
  const client = await open(url.href);
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } catch (error) {
    // Another deployer was faster: duplicate_database, or unique_violation when both were at it.
    if (!(error instanceof pg.DatabaseError && ["42P04", "23505"].includes(error.code ?? ""))) throw error;
  } finally {
    await client.end();
  }
}

async function readHistory(client: pg.Client): Promise<HistoryRow[]> {
  const exists = await client.query("SELECT 1 WHERE to_regclass('_prisma_migrations') IS NOT NULL");
  if (exists.rowCount === 0) return [];
  const { rows } = await client.query<HistoryRow>(
    "SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations ORDER BY started_at",
  );
  return rows.filter((row) => row.rolled_back_at === null);
}

/** The names that are applied. Throws when the history isn't one that these files can go on from. */
function checkHistory(migrations: Migration[], history: HistoryRow[]): Set<string> {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const { migration_name: name, checksum, finished_at } of history) {
    if (finished_at === null)
      throw new Error(
        `The migration ${name} failed before. Mend the database, then: npx prisma migrate resolve --rolled-back ${name} (or --applied).`,
      );
    const expected = known.get(name);
    if (expected === undefined)
      throw new Error(
        `The database has the migration ${name}, which this version doesn't know: it is newer than this version.`,
      );
    if (expected !== checksum)
      throw new Error(
        `The migration ${name} was edited after it was applied. Undo the edit, and put the change into a new migration.`,
      );
  }
  return new Set(history.map((row) => row.migration_name));
}

/** Under the lock: reads the history again, since another deployer may have been at work until now. */
async function applyMissing(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  await client.query(historyTable);
  const done = checkHistory(migrations, await readHistory(client));
  const missing = migrations.filter((migration) => !done.has(migration.name));
  for (const migration of missing) await applyOne(client, migration);
  return missing.map((migration) => migration.name);
}

/**
 * A statement that waits for a table makes all that come after it wait, too: it gives up after this time, and the file is tried
 * again a little later, for some two minutes. The time is shorter than after which Postgres looks for a deadlock (1 s), so that a
 * migration gives way rather than a request is refused.
 */
const lockTimeoutMs = 400;
const mostTries = 150;

async function applyOne(client: pg.Client, migration: Migration): Promise<void> {
  // While it waits, an index that is built concurrently holds up no reader and no writer.
  await client.query(`SET lock_timeout = ${isConcurrent(migration) ? 0 : lockTimeoutMs}`);
  for (let nth = 1; ; nth += 1)
    try {
      return await (isConcurrent(migration) ? applyConcurrently(client, migration) : applyAtOnce(client, migration));
    } catch (error) {
      const isLocked = error instanceof pg.DatabaseError && ["55P03", "40P01"].includes(error.code ?? "");
      if (!isLocked || nth === mostTries)
        throw new Error(`The migration ${migration.name} failed and was undone: ${errorText(error)}`, { cause: error });
      await sleep(300 + 600 * Math.random());
    }
}

async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(migration.sql);
    await noteApplied(client, migration);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

const concurrent = /\b(CREATE(?: UNIQUE)?|DROP) INDEX CONCURRENTLY (?:IF (?:NOT )?EXISTS )?"?(\w+)"?/;

/** Returns whether the migration builds or drops an index while others write. */
const isConcurrent = ({ sql }: Migration): boolean => concurrent.test(sql);

/** Postgres allows no transaction around it. A process that dies between the two statements leaves an index that the next try makes anew. */
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  const index = client.escapeIdentifier(concurrent.exec(migration.sql)?.[2] ?? "");
  await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${index}`);
  if (!/\bDROP INDEX CONCURRENTLY/.test(migration.sql)) await client.query(migration.sql);
  await noteApplied(client, migration);
}

async function noteApplied(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}
