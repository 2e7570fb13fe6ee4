import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { deployMigrations } from "../../prisma/deploy.ts";
import { freshDatabaseUrl, query } from "./fresh-database.ts";
import { projectCopy, root } from "./project-copy.ts";

const fromMigrations = [
  "migrate",
  "diff",
  "--from-migrations",
  "prisma/migrations",
  "--to-schema",
  "prisma/schema.prisma",
];

/** Runs the Prisma CLI with the engine shim; resolves with its exit code and output. */
async function prisma(databaseUrl: string, args: string[], cwd = root): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATABASE_URL: databaseUrl };
  const done = promisify(execFile)(process.execPath, ["prisma/prisma-offline.mjs", ...args], { cwd, env });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

test(
  "the schema, the migrations and a deployed database say the same, and comparing them leaves no shadow database",
  { timeout: 60_000 },
  async () => {
    const url = freshDatabaseUrl();
    await deployMigrations(url);
    expect(await prisma(url, [...fromMigrations, "--exit-code"])).toMatchObject({
      code: 0,
      output: expect.stringContaining("No difference"),
    });
    const toDatabase = [
      "migrate",
      "diff",
      "--from-config-datasource",
      "--to-schema",
      "prisma/schema.prisma",
      "--exit-code",
    ];
    expect(await prisma(url, toDatabase)).toMatchObject({ code: 0 });
    expect(
      await query(inject("databaseUrl"), "SELECT datname FROM pg_database WHERE datname LIKE 'prisma_shadow_%'"),
    ).toEqual([]);
  },
);

test("a change of the schema is seen, and its migration holds that change alone", { timeout: 60_000 }, async () => {
  const url = freshDatabaseUrl();
  await deployMigrations(url);
  const folder = projectCopy();
  const schemaFile = join(folder, "prisma/schema.prisma");
  writeFileSync(
    schemaFile,
    readFileSync(schemaFile, "utf8").replace("model User {", "model User {\n  nickname String?"),
  );
  const { code, output } = await prisma(url, [...fromMigrations, "--script", "--exit-code"], folder);
  expect(code).toBe(2);
  const statements = output.split("\n").filter((line) => /^(ALTER|CREATE|DROP)/.test(line));
  expect(statements).toEqual([expect.stringMatching(/^ALTER TABLE "users" ADD COLUMN +"nickname" TEXT;$/)]);
});

test("stock `migrate deploy` and ours go on from each other", { timeout: 60_000 }, async () => {
  const ours = freshDatabaseUrl();
  await deployMigrations(ours);
  expect(await prisma(ours, ["migrate", "deploy"])).toMatchObject({
    code: 0,
    output: expect.stringContaining("No pending migrations"),
  });

  const theirs = freshDatabaseUrl();
  expect(await prisma(theirs, ["migrate", "deploy"])).toMatchObject({
    code: 0,
    output: expect.stringContaining("successfully applied"),
  });
  expect(await deployMigrations(theirs)).toEqual({ applied: [] });

  const rows =
    "SELECT checksum, migration_name, logs, rolled_back_at, applied_steps_count FROM _prisma_migrations ORDER BY migration_name";
  expect(await query(ours, rows)).toEqual(await query(theirs, rows));
  const columns =
    "SELECT column_name, data_type, character_maximum_length, column_default, is_nullable FROM information_schema.columns WHERE table_name = '_prisma_migrations'";
  expect(await query(ours, columns)).toEqual(await query(theirs, columns));
});
