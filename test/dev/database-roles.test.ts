import { expect, test } from "vitest";
import { createOwnedDatabase, grantUse, loginUrl } from "../../dev/database-roles.ts";
import { deployMigrations } from "../../prisma/deploy.ts";
import { freshDatabaseUrl, query } from "../prisma/fresh-database.ts";

test("the role that processes use reads and writes rows, and can neither change tables nor rights", async () => {
  const adminUrl = freshDatabaseUrl();
  const ownerUrl = await createOwnedDatabase(adminUrl);
  await deployMigrations(ownerUrl);
  await grantUse(ownerUrl);
  const url = loginUrl(adminUrl);
  expect(
    await query(
      url,
      "SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls FROM pg_roles WHERE rolname = current_user",
    ),
  ).toEqual([
    { rolsuper: false, rolcreatedb: false, rolcreaterole: false, rolreplication: false, rolbypassrls: false },
  ]);
  await query(url, "INSERT INTO users (id) VALUES ('ada')");
  expect(await query(url, "DELETE FROM users RETURNING id")).toEqual([{ id: "ada" }]);
  for (const statement of [
    "CREATE TABLE mine (id int)",
    "DROP TABLE users",
    "TRUNCATE users",
    "ALTER TABLE users ADD COLUMN mine int",
    "CREATE ROLE mine",
    "CREATE DATABASE mine",
    "SET ROLE runfleet_owner",
    "SET ROLE postgres",
    "COPY users TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT rolpassword FROM pg_authid",
    "DELETE FROM _prisma_migrations",
  ])
    await expect(query(url, statement)).rejects.toThrow(/permission denied|must be/);
});

test("a database that a superuser has migrated is handed over, and later migrations are the owner's", async () => {
  const adminUrl = freshDatabaseUrl();
  await deployMigrations(adminUrl);
  const ownerUrl = await createOwnedDatabase(adminUrl);
  expect(await deployMigrations(ownerUrl)).toEqual({ applied: [] });
  await grantUse(ownerUrl);
  await query(
    ownerUrl,
    "ALTER TABLE users ADD COLUMN more int; ALTER TYPE run_status ADD VALUE 'other'; CREATE TABLE more (id serial)",
  );
  expect(await query(loginUrl(adminUrl), "INSERT INTO more DEFAULT VALUES RETURNING id")).toEqual([{ id: 1 }]);
});
