import { afterAll, expect, test } from "vitest";
import { createLog } from "../../../shared/platform/log.ts";
import { openRunStreams } from "../../../shared/platform/stream/run-streams.ts";
import { openDb } from "../../../shared/store/client.ts";
import { readTranscript } from "../../../shared/store/runs/read-transcript.ts";
import { openRunOutput } from "../../../worker/output/run-output.ts";
import { makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const db = openDb(stack.databaseUrl, 2, () => undefined);
const streams = openRunStreams(stack.redisUrl, stack.prefix, () => undefined);
afterAll(() => {
  streams.close();
  return db.close();
});

const waitsForLock = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

test("a run that says more than Postgres takes waits with it, and goes on where it was", async () => {
  const { url } = await stack.openApi();
  const agent_id = await makeAgent(url, "def main(input):\n    return 1\n");
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
       timeout_ms, input_payload, history, files, request_hash, expires_at, last_seq)
     VALUES ('loud', 'tester', $1, '1', 'running', 1, 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() + interval '1 h', 0)`,
    [agent_id],
  );
  const deps = { db, streams, log: createLog("worker", "silent") };
  const output = openRunOutput(deps, { id: "loud", attempt: 1, lost_attempts: 0 }, () => undefined);
  // Somebody else has the run's row.
  const holder = await stack.sql.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM runs WHERE id = 'loud' FOR UPDATE");
  let said = 0;
  const speaks = (async () => {
    while (said < 40) {
      await output.push({ type: "output.delta", content: "x".repeat(32 * 1024) });
      said += 1;
    }
  })();
  await waitFor(async () => (await stack.sql.query(waitsForLock)).rowCount === 1);
  // All that was said is streamed, and no more comes while the transcript is behind.
  await waitFor(async () => (await streams.read("loud", { attempt: 0, seq: 0 })).length === said + 1);
  expect(said).toBeLessThan(12);
  await holder.query("COMMIT");
  holder.release();
  await speaks;
  await output.save();
  expect((await readTranscript(db, "loud", { attempt: 0, seq: 0 })).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
  output.close();
});
