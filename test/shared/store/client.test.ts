import { afterAll, expect, test } from "vitest";
import type { Batch } from "../../../shared/store/batch.ts";
import { openDb } from "../../../shared/store/client.ts";
import { listOf, t } from "../../../shared/store/columns.ts";
import { sql } from "../../../shared/store/sql.ts";
import { statement } from "../../../shared/store/statement.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const [db, small] = [openDb(stack.databaseUrl, 6, () => undefined), openDb(stack.databaseUrl, 5, () => undefined)];
afterAll(() => Promise.all([db.close(), small.close()]));

const doubled = statement({
  name: "doubled",
  takes: { numbers: listOf(t.integer) },
  gives: { doubled: t.integer, plans: t.text },
  text: sql`
    SELECT number * 2 AS doubled, (SELECT generic_plans || ' and ' || custom_plans
      FROM pg_prepared_statements WHERE name LIKE 'doubled-%') AS plans
    FROM unnest($numbers) AS number`,
});
const doubling: Batch<number, { doubled: number; plans: string }> = {
  most: 64,
  act: (client, numbers) => doubled.rows(client, { numbers }),
};

test("lists that take all connections keep no run waiting, whose statements are planned once", async () => {
  const lists = await Promise.all([1, 2, 3].map(() => db.sql.connect()));
  try {
    expect(await db.inBatches(doubling, 1)).toEqual({ doubled: 2, plans: "1 and 0" });
    expect(await db.inBatches(doubling, 2)).toEqual({ doubled: 4, plans: "2 and 0" });
    expect(db.pools.reduce((sum, pool) => sum + (pool.options.max ?? 0), 0)).toBe(6);
  } finally {
    for (const client of lists) client.release();
  }
});

test("runs look a row up by its index, also where the table was empty when Postgres planned that", async () => {
  await stack.sql.query("VACUUM ANALYZE usage_records");
  const text = "EXPLAIN SELECT 1 FROM usage_records WHERE source = 'run' AND source_id = 'run_1'";
  const planned: Batch<string, string> = {
    most: 1,
    act: async (client, texts) => [JSON.stringify((await client.query(texts[0] ?? "")).rows)],
  };
  expect(await db.inBatches(planned, text)).toContain("usage_records_source_source_id_key");
  expect(JSON.stringify((await stack.sql.query(text)).rows)).toContain("Seq Scan");
});

test("a process with few connections uses each for everything", async () => {
  expect(await small.inBatches(doubling, 3)).toMatchObject({ doubled: 6 });
  expect(small.pools.map((pool) => pool.options.max)).toEqual([5]);
});
