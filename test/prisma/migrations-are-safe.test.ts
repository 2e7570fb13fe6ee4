import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { unsafeStatements } from "./unsafe-statements.ts";

const folder = new URL("../../prisma/migrations/", import.meta.url);
/** The migrations before were applied in a pause. */
const first = "20261123103000";

test("a migration can be applied while older processes serve requests", () => {
  const names = readdirSync(folder).filter((name) => /^\d/.test(name) && name >= first);
  const unsafe = names.flatMap((name) =>
    unsafeStatements(readFileSync(new URL(`${name}/migration.sql`, folder), "utf8")).map((why) => `${name}: ${why}`),
  );
  expect(names.length).toBeGreaterThan(2);
  expect(unsafe).toEqual([]);
});

test.each([
  ["CREATE INDEX i ON runs (a);", "CREATE INDEX CONCURRENTLY i ON runs (a);"],
  ["CREATE INDEX i ON runs (a);", "CREATE TABLE fresh (a int); CREATE INDEX i ON fresh (a);"],
  [
    "CREATE TABLE fresh (a int); CREATE INDEX CONCURRENTLY i ON runs (a);",
    "CREATE UNIQUE INDEX CONCURRENTLY i ON runs (a);",
  ],
  ["DROP INDEX i;", "DROP INDEX CONCURRENTLY i;"],
  ['ALTER TABLE "runs" ADD COLUMN "a" TEXT NOT NULL;', `ALTER TABLE "runs" ADD COLUMN "a" TEXT NOT NULL DEFAULT 'x';`],
  [
    "ALTER TABLE runs ADD COLUMN a uuid DEFAULT gen_random_uuid();",
    "ALTER TABLE runs ADD COLUMN a timestamptz DEFAULT now();",
  ],
  ["ALTER TABLE runs ADD COLUMN a BIGSERIAL;", "ALTER TABLE runs ADD COLUMN a BIGINT;"],
  ["ALTER TABLE runs ALTER COLUMN a TYPE bigint;", "ALTER TABLE runs ALTER COLUMN a SET DEFAULT 1;"],
  ["ALTER TABLE runs ALTER COLUMN a SET NOT NULL;", "ALTER TABLE runs ALTER COLUMN a DROP NOT NULL;"],
  [
    "ALTER TABLE runs ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES agents (id);",
    "ALTER TABLE runs ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES agents (id) NOT VALID;",
  ],
  ["ALTER TABLE runs ADD CONSTRAINT c CHECK (a > 0);", "ALTER TABLE runs VALIDATE CONSTRAINT c;"],
  ["ALTER TABLE runs ADD CONSTRAINT c UNIQUE (a);", "ALTER TABLE runs ADD CONSTRAINT c UNIQUE USING INDEX i;"],
  ["UPDATE runs SET a = 1;", "CREATE TABLE fresh (a int); UPDATE fresh SET a = 1;"],
  ["-- runs\nUPDATE runs SET a = 1;", "-- UPDATE runs SET a = 1;\nALTER TABLE runs ADD COLUMN a int;"],
  [
    "LOCK TABLE runs;",
    "CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE runs SET a = 1; LOCK TABLE runs $$;",
  ],
  ["ALTER TABLE runs DROP COLUMN a;", "-- contract: nothing reads it since 2.1.0\nALTER TABLE runs DROP COLUMN a;"],
  [
    "ALTER TABLE runs RENAME COLUMN a TO b;",
    "-- contract: both names are read since 2.1.0\nALTER TABLE runs RENAME COLUMN a TO b;",
  ],
  ["DROP TABLE runs;", "-- contract: nothing reads it since 2.1.0\nDROP TABLE runs;"],
])("%s is refused, and %s is not", (unsafe, safe) => {
  expect(unsafeStatements(unsafe)).toHaveLength(1);
  expect(unsafeStatements(safe)).toEqual([]);
});
