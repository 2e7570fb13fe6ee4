import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const token = randomBytes(32).toString("hex");

const stack = await useTestStack();
const { url } = await stack.openApi({ INTERNAL_TOKEN: token });

const ask = (method: string, path: string) => call(url, method, path, undefined, { authorization: `Bearer ${token}` });

async function expiredRun(): Promise<string> {
  const agent_id = await makeAgent(url, "def main(i): return i");
  const id = `run${randomBytes(6).toString("hex")}`;
  // No worker is there yet, so that the request itself would be refused.
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at)
     VALUES ($1, 'tester', $2, '1.0.0', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', now() - interval '1 s')`,
    [id, agent_id],
  );
  return id;
}

test("without the token the jobs are closed where there is one, and an unknown name is a 404", async () => {
  expect((await call(url, "GET", "/v1/internal/jobs")).status).toBe(403);
  expect((await call(url, "POST", "/v1/internal/jobs/expire-queue")).status).toBe(403);
  expect(await ask("POST", "/v1/internal/jobs/nothing")).toMatchObject({ status: 404 });
});

test("a dry run counts and changes nothing; a turn does it, and the list shows it as the last", async () => {
  const id = await expiredRun();
  const dry = await ask("POST", "/v1/internal/jobs/expire-queue?dry_run=true");
  expect(dry).toMatchObject({ status: 200, body: { status: "success", dry_run: true, result: { overdue: 1 } } });
  expect((await ask("GET", `/v1/runs/${id}`)).status).toBe(403);
  expect((await call(url, "GET", `/v1/runs/${id}`)).body["status"]).toBe("queued");
  const done = await ask("POST", "/v1/internal/jobs/expire-queue");
  expect(done.body).toMatchObject({ status: "success", triggered_by: "internal", result: { expired: 1 } });
  expect((await call(url, "GET", `/v1/runs/${id}`)).body["status"]).toBe("expired");
  const { data } = (await ask("GET", "/v1/internal/jobs")).body as { data: { name: string; last_run: unknown }[] };
  expect(data.find(({ name }) => name === "expire-queue")?.last_run).toMatchObject({ id: done.body["id"] });
});

test("while a turn is under way a second one is a 409; one whose process was lost is closed as an error", async () => {
  const begin = (id: string, lease: string) =>
    stack.sql.query(
      `INSERT INTO internal_job_runs (id, name, triggered_by, lease_until) VALUES ($1, 'retry-callbacks', 'test', now() + $2::interval)`,
      [id, lease],
    );
  await begin("turn_1", "1 minute");
  expect(await ask("POST", "/v1/internal/jobs/retry-callbacks")).toMatchObject({
    status: 409,
    body: { code: "job_running" },
  });
  await stack.sql.query("UPDATE internal_job_runs SET lease_until = now() - interval '1 s' WHERE id = 'turn_1'");
  expect((await ask("POST", "/v1/internal/jobs/retry-callbacks")).body["status"]).toBe("success");
  const { rows } = await stack.sql.query("SELECT status, error FROM internal_job_runs WHERE id = 'turn_1'");
  expect(rows).toEqual([{ status: "error", error: "Its process was lost." }]);
});

test("of many who ask while a turn takes its time, one has it and the others are told so", async () => {
  const client = await stack.sql.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE");
  const asked = Array.from({ length: 12 }, () => ask("POST", "/v1/internal/jobs/reconcile-runs"));
  let refused = 0;
  for (const answer of asked) void answer.then(({ status }) => (refused += status === 409 ? 1 : 0));
  await waitFor(() => refused === 11);
  await client.query("COMMIT");
  client.release();
  expect((await Promise.all(asked)).filter(({ status }) => status === 200)).toHaveLength(1);
});

test("a callback that waits for its next try is due at once when that is asked for", async () => {
  await stack.sql.query(
    `INSERT INTO outbox (id, user_id, type, url, next_attempt_at) VALUES ('msg_1', 'u', 'x', 'http://x', now() + interval '9 h')`,
  );
  const dry = await ask("POST", "/v1/internal/jobs/retry-callbacks?dry_run=true");
  expect(dry.body["result"]).toEqual({ callbacks: 1 });
  expect((await ask("POST", "/v1/internal/jobs/retry-callbacks")).body["result"]).toEqual({ callbacks: 1 });
  const { rows } = await stack.sql.query("SELECT next_attempt_at <= now() AS due FROM outbox WHERE id = 'msg_1'");
  expect(rows).toEqual([{ due: true }]);
});

test("workers do each job on its clock, once among them", async () => {
  await Promise.all([stack.openWorker(), stack.start("worker")]);
  const clocked = async () => {
    const { data } = (await ask("GET", "/v1/internal/jobs")).body as {
      data: { every_ms: number | null; last_run: { triggered_by: string; status: string } | null }[];
    };
    return data.filter(({ every_ms }) => every_ms !== null).map(({ last_run }) => last_run);
  };
  const turns = await waitFor(async () => {
    const found = await clocked();
    return found.every((turn) => turn?.status === "success" || turn?.status === "error") ? found : null;
  }, 60_000);
  expect(new Set(turns.map((turn) => `${turn?.triggered_by} ${turn?.status}`))).toEqual(new Set(["clock success"]));
  const { rows } = await stack.sql.query(
    "SELECT name FROM internal_job_runs WHERE triggered_by = 'clock' GROUP BY name HAVING count(*) > 1",
  );
  expect(rows).toEqual([]);
}, 120_000);
