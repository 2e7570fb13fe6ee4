import { join } from "node:path";
import { expect, test } from "vitest";
import { runStatuses } from "../../shared/domain/run/run-status.ts";
import { sourceFiles } from "./source-files.ts";

const root = join(import.meta.dirname, "../..");
const store = "shared/store/";

const linesWith = (text: string, pattern: RegExp): string[] => text.split("\n").filter((line) => pattern.test(line));

/** A run's status as a literal of SQL. */
const statusLiteral = new RegExp(`'(${runStatuses.join("|")})'`);

/** Their tables have states of their own, some of which have the same words. */
const ownStates = [
  "bulk/bulk-operations.ts",
  "bulk/work-bulk.ts",
  "daemons/report-daemon.ts",
  "internal-jobs/claim-internal-job.ts",
  "internal-jobs/finish-internal-job.ts",
  "internal-jobs/read-maintenance.ts",
  "jobs/job-is-over.ts",
  "user-limits.ts",
];

test("which states a run is in, and which it goes to, comes from the table of transitions: no SQL spells one", async () => {
  const files = (await sourceFiles(root, [store])).filter(({ path }) => !ownStates.includes(path.slice(store.length)));
  const spelt = files.flatMap(({ path, text }) =>
    linesWith(text, statusLiteral).map((line) => `${path}: ${line.trim()}`),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(spelt).toEqual([]);
  expect(linesWith("UPDATE runs SET status = 'queued'\nWHERE id = $id", statusLiteral)).toHaveLength(1);
});

/** A query that is sent past `statement` and `query`, whose columns nobody declares. */
const undeclaredQuery = /\.query[<(]|\$(queryRaw|executeRaw)/;
/** The doors themselves, and what sends no query with columns: BEGIN, SET. */
const doors = ["statement.ts", "query.ts", "in-transaction.ts", "prisma-transaction.ts", "tell-session.ts"];

test("each query of the store declares its columns", async () => {
  const files = (await sourceFiles(root, [store])).filter(({ path }) => !doors.includes(path.slice(store.length)));
  const found = files.flatMap(({ path, text }) =>
    linesWith(text, undeclaredQuery).map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
  expect(linesWith("await db.sql.query<Row>(text);\nawait tx.$queryRaw`SELECT 1`;", undeclaredQuery)).toHaveLength(2);
});

/** Postgres, reached through what the store has opened. */
const foreignQuery = /\bdb\.prisma\.|\.sql\s*\.query|\.query[<(]`?"?(SELECT|INSERT|UPDATE|DELETE)/;

test("only the store talks to Postgres, whoever hands its connection on", async () => {
  const files = (await sourceFiles(root, ["api", "worker", "gateway", "shared"])).filter(
    ({ path }) => !path.startsWith(store),
  );
  const found = files.flatMap(({ path, text }) =>
    linesWith(text, foreignQuery).map((line) => `${path}: ${line.trim()}`),
  );
  expect(files.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
  expect(linesWith('await db.sql.query("SELECT 1");\ndb.prisma.daemon.findUnique()', foreignQuery)).toHaveLength(2);
});
