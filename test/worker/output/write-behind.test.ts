import { afterAll, expect, test } from "vitest";
import { createLog } from "../../../shared/platform/log.ts";
import { createBatches } from "../../../shared/store/batch.ts";
import { openDb } from "../../../shared/store/client.ts";
import { openWriteBehind } from "../../../worker/output/write-behind.ts";
import { makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const runs = 50;
const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

test("what the runs of a worker say is written once a second by few statements, whatever their number", async () => {
  const { url } = await stack.openApi();
  const agent_id = await makeAgent(url, "def main(input):\n    return 1\n");
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
       timeout_ms, input_payload, history, files, request_hash, expires_at)
     SELECT 'run-' || i, 'tester', $1, '1', 'running', 1, 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() + interval '1 h' FROM generate_series(1, $2::int) AS i`,
    [agent_id, runs],
  );
  let statements = 0;
  const counted = createBatches({
    query: ((...given: Parameters<typeof db.sql.query>) => {
      statements += 1;
      return db.sql.query(...given);
    }) as typeof db.sql.query,
  });
  const fenced: string[] = [];
  const writers = Array.from({ length: runs }, (_, at) => {
    const id = `run-${at + 1}`;
    const deps = { db: { ...db, inBatches: counted }, log: createLog("worker", "silent") };
    return openWriteBehind(deps, id, { onFenced: () => fenced.push(id) });
  });
  for (const round of [2, 3]) {
    const before = statements;
    for (const writer of writers) writer.add({ attempt: 1, seq: round, type: "output.delta", data: "{}" });
    await waitFor(async () => {
      const { rows } = await stack.sql.query("SELECT count(*)::int AS n FROM runs WHERE last_seq = $1", [round]);
      return rows[0]?.n === runs;
    });
    // One statement, and one more for those whose timers came while the first was under way.
    expect(statements - before).toBeLessThanOrEqual(3);
  }
  expect(fenced).toEqual([]);
  for (const writer of writers) writer.close();
});
