import { subscribe } from "node:diagnostics_channel";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Columns, orNull, t } from "../../../shared/store/columns.ts";
import { parameterRows } from "../../../shared/store/parameter-rows.ts";
import { sql } from "../../../shared/store/sql.ts";
import { statement } from "../../../shared/store/statement.ts";
import { sourceFiles } from "../../architecture/source-files.ts";
import { openTestStack, type TestStack } from "../../harness/test-stack.ts";

type Defined = { name: string; text: string; takes: Columns; gives: Columns };
type Described = { takes: string[]; gives: [name: string, type: string][] };

let stack: TestStack;
let client: pg.Client;
const defined = new Map<string, Defined>();
let statements: Defined[] = [];

beforeAll(async () => {
  subscribe("runfleet:statement", (statement) => {
    const { name, text } = statement as Defined;
    defined.set(`${name}: ${text}`, statement as Defined);
  });
  const root = join(import.meta.dirname, "../../..");
  // Another test file may have loaded the modules already: each is evaluated once more.
  for (const { path } of await sourceFiles(root, ["shared/store"])) await import(`${join(root, path)}?anew`);
  statements = [...defined.values()];
  stack = await openTestStack();
  client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
}, 60_000);
afterAll(async () => {
  await client?.end();
  await stack?.close();
});

/** What Postgres says of a statement that it has parsed: the types of its parameters, and its result columns. */
async function describe(text: string): Promise<Described> {
  const oids: { takes: number[]; gives: [string, number][] } = { takes: [], gives: [] };
  // The driver offers no Describe; its connection does.
  const { connection } = client as unknown as {
    connection: NodeJS.EventEmitter & Record<string, (of: unknown) => void>;
  };
  const onTakes = (message: { dataTypeIDs: number[] }) => void (oids.takes = message.dataTypeIDs);
  connection.on("parameterDescription", onTakes);
  try {
    await new Promise<void>((resolve, reject) => {
      client.query({
        submit: () => {
          connection["parse"]?.({ name: "", text, types: [] });
          connection["describe"]?.({ type: "S", name: "" });
          connection["sync"]?.(undefined);
        },
        handleRowDescription: ({ fields }: { fields: { name: string; dataTypeID: number }[] }) =>
          void (oids.gives = fields.map(({ name, dataTypeID }) => [name, dataTypeID])),
        handleError: reject,
        handleReadyForQuery: () => resolve(),
      } as unknown as pg.Submittable);
    });
  } finally {
    connection.off("parameterDescription", onTakes);
  }
  const wanted = [...oids.takes, ...oids.gives.map(([, oid]) => oid)];
  const { rows } = await client.query<{ name: string }>(
    "SELECT format_type(oid, NULL) AS name FROM unnest($1::oid[]) WITH ORDINALITY AS asked (oid, nth) ORDER BY nth",
    [wanted],
  );
  const names = rows.map(({ name }) => name);
  return {
    takes: names.slice(0, oids.takes.length),
    gives: oids.gives.map(([name], at) => [name, names[oids.takes.length + at] ?? ""]),
  };
}

const typesOf = (columns: Columns): string[] => Object.values(columns).map(({ type }) => type);
const columnsOf = (columns: Columns): [string, string][] =>
  Object.entries(columns).map(([name, { type }]) => [name, type]);

test("each statement is what it declares: its parameters' types, its columns' names and types, as Postgres has them", async () => {
  expect(statements.length).toBeGreaterThan(150);
  const wrong: unknown[] = [];
  for (const { name, text, takes, gives } of statements) {
    const declared = { takes: typesOf(takes), gives: columnsOf(gives) };
    const found = await describe(text).catch((error: Error) => error.message);
    if (JSON.stringify(found) !== JSON.stringify(declared)) wrong.push({ name, declared, found });
  }
  expect(wrong).toEqual([]);
});

test("each statement has a name of its own, which Postgres doesn't cut and which changes with its text", () => {
  const names = statements.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-z-]{1,54}-[0-9a-f]{8}$/);
});

/** Per run once, or more often: these decide how many runs a second there are. */
const ofEveryRun = /^(insert-run|claim-run|finalize-run|append-transcript|append-journal-entries|read-journal)-/;

test("no statement of every run reads a whole table, planned on a database that is empty", async () => {
  const wholeReads: string[] = [];
  await client.query("SET plan_cache_mode = force_generic_plan");
  for (const { name, text, takes } of statements.filter(({ name }) => ofEveryRun.test(name))) {
    await client.query(`PREPARE "${name}" (${typesOf(takes).join(", ")}) AS ${text}`);
    const nothing = Object.keys(takes).map(() => "NULL");
    const plan = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE "${name}" (${nothing.join(", ")})`);
    const reads = plan.rows.map((row) => row["QUERY PLAN"].trim()).filter((line) => line.includes("Seq Scan"));
    wholeReads.push(...reads.map((line) => `${name}: ${line}`));
  }
  await client.query("RESET plan_cache_mode");
  expect(wholeReads).toEqual([]);
});

test("a statement over rows takes any text as it is, and leaves the driver nothing to quote", async () => {
  const columns = { id: t.integer, text: orNull(t.text), json: t.json() };
  const rows = parameterRows(columns);
  const echo = statement({
    name: "test_echo",
    takes: rows.takes,
    gives: columns,
    text: sql`WITH ${rows.cte} SELECT id, text, json FROM input ORDER BY id`,
  });
  const texts = [null, "", "NULL", '{a,"b"}', "\\", '\\"', "a\nb\tc\u0001", "é😀", "\n".repeat(100_000)];
  const given = texts.map((text, id) => ({ id, text, json: { text } }));

  expect(await echo.rows(client, rows.listsOf(given))).toEqual(given);
  // The driver takes seconds to quote the texts of a list that is megabytes long.
  expect(typeof rows.takes.json.encode?.(given.map(({ json }) => json))).toBe("string");
});
