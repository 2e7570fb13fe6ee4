import { afterAll, expect, test } from "vitest";
import type { HeldBulk } from "../../../../shared/store/bulk/bulk-operations.ts";
import { nextRuns } from "../../../../shared/store/bulk/work-bulk.ts";
import { openDb } from "../../../../shared/store/client.ts";
import { useTestStack } from "../../../harness/test-stack.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 1, () => undefined);
afterAll(() => db.close());

const bulk = (filter: HeldBulk["filter"]): HeldBulk => ({
  ...{ id: "bulk_1", user_id: "u", owner: "u", actor: null, edits: {}, lease_until: "" },
  ...{ action: "replay", created_at: new Date(Date.now() + 60_000), cursor: null },
  filter,
});

test("an operation comes to the end of 25,000 runs by a filter that no index serves, 10,000 runs at a time", async () => {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, completed_at, duration_ms, created_at)
     SELECT 'r' || i, 'u', 'a', '1.0.0', 'success', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', 'infinity',
       now(), CASE WHEN i % 12000 = 0 THEN 9000 ELSE 1 END, now() - (30000 - i) * interval '1 s' FROM generate_series(1, 25000) i`,
  );
  const found: string[][] = [];
  for (let held = bulk({ min_duration_ms: 5_000 }); ;) {
    const { runs, horizon } = await nextRuns(db, held, 20);
    found.push(runs.map(({ id }) => id));
    if (horizon === null) break;
    held = { ...held, cursor: horizon };
  }
  expect(found).toEqual([[], ["r12000"], ["r24000"]]);
  const { runs, horizon } = await nextRuns(db, { ...bulk({ agent_id: "a" }), cursor: null }, 2);
  expect([runs.map(({ id }) => id), horizon]).toEqual([["r1", "r2"], null]);
});
