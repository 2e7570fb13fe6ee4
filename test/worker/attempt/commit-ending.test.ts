import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import type { Attempt } from "../../../worker/attempt/attempt.ts";
import { commitEnding } from "../../../worker/attempt/commit-ending.ts";
import type { RunOutput } from "../../../worker/output/run-output.ts";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
const db = openDb(stack.databaseUrl, 2, () => undefined);
afterAll(() => db.close());

test("what a run has used is billed where it is completed from outside in the moment in which its worker ends it", async () => {
  const agent_id = await makeAgent(url, "def main(input): return 1");
  const run_id = `run_${randomUUID()}`;
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms, input_payload,
       history, files, request_hash, expires_at, status, attempt, last_seq, worker_id, lease_until, started_at)
     SELECT $1, user_id, id, '1.0.0', 3, 'python', 'standard', 'serverless', 60000, '{}', '[]', '[]', '', 'infinity', 'running', 1, 0,
       'worker', now() + interval '60 s', now() FROM agents WHERE id = $2`,
    [run_id, agent_id],
  );
  expect((await call(url, "POST", `/v1/runs/${run_id}/complete`, {})).body).toMatchObject({ status: "success" });
  const attempt = { id: run_id, attempt: 1, thread_id: null, concurrency: null, request_options: null } as Attempt;
  const last = { attempt: 1, seq: 1, type: "run.success", data: "{}" };
  const output = { finish: () => Promise.resolve([last]), sent: () => ({ length: 0 }) } as unknown as RunOutput;
  const nothing = { result_content: 1, error: null, state_snapshot: null };
  const outcome = { ...nothing, status: "success" as const, usage: { input_tokens: 7 } };
  const ended = { attempt, output, duration_ms: 1 };
  await commitEnding({ db } as never, ended, { kind: "finish", outcome, output: null, said: null });
  const { body } = await call(url, "GET", `/v1/runs/${run_id}`);
  expect(body).toMatchObject({ status: "success", result_content: null, usage: { input_tokens: 7 } });
});
