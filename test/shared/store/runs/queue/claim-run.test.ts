import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../../../shared/store/client.ts";
import { claimRun } from "../../../../../shared/store/runs/queue/claim-run.ts";
import { useTestStack } from "../../../../harness/test-stack.ts";

const waiting = 3_000;
const claims = 20;
const worker = {
  id: "w",
  leaseMs: 60_000,
  sandbox: { level: 3, name: "ns", layers: [] },
  adapters: ["python"],
  pool: "default",
};

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 1, () => undefined);
afterAll(() => db.close());

const queue = (first: number, last: number) =>
  stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, created_at)
     SELECT 'r' || i, 'u', 'a', '1.0.0', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', 'infinity',
       now() + i * interval '1 ms' FROM generate_series($1::int, $2::int) i`,
    [first, last],
  );

/** Index entries of `runs` that were read so far. */
async function readEntries(): Promise<number> {
  await db.sql.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await db.sql.query<{ n: number }>(
    "SELECT sum(idx_tup_read)::int AS n FROM pg_stat_user_indexes WHERE relname = 'runs'",
  );
  return rows[0]?.n ?? 0;
}

test("a claim costs the same however many runs wait, even if nobody waited when the table was analysed", async () => {
  await stack.sql.query("ALTER TABLE runs SET (autovacuum_enabled = false)");
  await queue(1, 100);
  await stack.sql.query("UPDATE runs SET status = 'success'");
  await stack.sql.query("ANALYZE runs");
  await queue(101, 100 + waiting);
  const before = await readEntries();
  for (let i = 0; i < claims; i += 1)
    expect((await claimRun(db, `r${100 + waiting - i}`, worker)).kind).toBe("claimed");
  expect((await readEntries()) - before).toBeLessThan(claims * 20);
});
