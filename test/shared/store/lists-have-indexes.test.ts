import { expect, test } from "vitest";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();

async function planOf(text: string): Promise<string> {
  const client = await stack.sql.connect();
  try {
    await client.query("BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN ${text}`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

test.each(["usage_records", "ledger_transactions", "notifications"])(
  "a page of everybody's rows of %s is read in their order, and no other row is",
  async (table) => {
    const plan = await planOf(`SELECT id FROM ${table} ORDER BY created_at DESC, id DESC LIMIT 21`);
    expect(plan).toContain("Index");
    expect(plan).not.toContain("Sort");
    expect(plan).not.toContain("Seq Scan");
  },
);

test.each(["usage_records", "notifications"])("a run's rows of %s are found by its id", async (table) => {
  expect(await planOf(`SELECT id FROM ${table} WHERE run_id = 'x'`)).toMatch(/Index Cond: \(run_id = 'x'/);
});
