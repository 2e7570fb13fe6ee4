import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const token = randomBytes(32).toString("hex");
const settings = { INTERNAL_TOKEN: token, RETENTION_DAYS: "30", AUDIT_RETENTION_DAYS: "90" };

const stack = await useTestStack();
const { url } = await stack.startService({ worker: settings, api: settings });
async function purge(base = url, query = ""): Promise<Record<string, number>> {
  const path = `/v1/internal/jobs/purge-transcripts${query}`;
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await call(base, "POST", path, undefined, headers);
  expect(body["status"]).toBe("success");
  return body["result"] as Record<string, number>;
}

async function endedRun(): Promise<string> {
  const source = py`
    import runfleet
    def main(i):
        runfleet.artifact('a.txt', 'a')
        yield 'one'
        yield 'two'
        return 3
  `;
  const answer = await execute(
    url,
    { agent_id: await makeAgent(url, source), version: "current", env_vars: { TOKEN: "planted" } },
    { prefer: "wait=30" },
  );
  return ((await answer.json()) as { id: string }).id;
}

const age = (id: string, days: number) =>
  stack.sql.query("UPDATE runs SET completed_at = now() - $2 * interval '1 day' WHERE id = $1", [id, days]);

const count = async (table: string, where = "true"): Promise<number> =>
  (await stack.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE ${where}`)).rows[0]?.n ?? 0;

// The worker's clock has its turn at the start, and none for ten minutes after it.
await waitFor(() => count("internal_job_runs", "name = 'purge-transcripts' AND status = 'success'"), 30_000);

test("after its time a run's transcript and files are gone, its record stays, and a reader is told of the gap", async () => {
  const [old, young] = [await endedRun(), await endedRun()];
  await age(old, 31);
  await age(young, 29);
  expect(await purge(url, "?dry_run=true")).toMatchObject({ transcripts: 1 });
  expect(await count("artifacts")).toBe(2);
  expect(await purge()).toMatchObject({ transcripts: 1 });
  expect(await purge()).toMatchObject({ transcripts: 0 });
  // Redis has forgotten an old run's stream long since.
  await stack.redis.del(`${stack.prefix}run:${old}`);
  const told = await readEvents(await resume(url, old, "0-0"));
  expect(told.map(({ event }) => event)).toEqual(["gap", "run.success"]);
  expect(told[1]?.data).toMatchObject({ result_content: expect.anything() });
  expect((await call(url, "GET", `/v1/runs/${old}/artifacts`)).body["data"]).toEqual([]);
  expect((await call(url, "GET", `/v1/runs/${old}`)).body).toMatchObject({ id: old, status: "success" });
  const whole = await readEvents(await resume(url, young, "0-0"));
  expect(whole.map(({ event }) => event)).toContain("output.delta");
  expect((await call(url, "GET", `/v1/runs/${young}/artifacts`)).body["data"]).toHaveLength(1);
}, 60_000);

test("a run's values are gone with its end, and what a fault left of them is found", async () => {
  const id = await endedRun();
  expect(await count("run_secrets")).toBe(0);
  await stack.sql.query("INSERT INTO run_secrets (run_id, sealed_env) VALUES ($1, 'left over')", [id]);
  expect(await purge()).toMatchObject({ run_secrets: 1 });
  expect(await count("run_secrets")).toBe(0);
}, 60_000);

test("an ended run's stream leaves Redis by itself within minutes", async () => {
  const id = await endedRun();
  const left = await stack.redis.pttl(`${stack.prefix}run:${id}`);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(300_000);
}, 60_000);

test("what aged goes, many batches in a turn; what is still of use stays", async () => {
  await stack.sql.query(
    `INSERT INTO idempotency_keys (user_id, route, key, request_hash, expires_at)
     SELECT 'u', 'r', n, '', now() + CASE WHEN n <= 1200 THEN interval '-1 s' ELSE interval '1 h' END FROM generate_series(1, 1201) n`,
  );
  await stack.sql.query(
    `INSERT INTO audit_log (id, actor, action, target_type, created_at)
     VALUES ('old', 'a', 'x', 'y', now() - interval '91 days'), ('new', 'a', 'x', 'y', now() - interval '89 days')`,
  );
  await stack.sql.query(
    `INSERT INTO outbox (id, user_id, type, url, status) VALUES ('msg_kept', 'u', 'run.success', 'http://x', 'delivered')`,
  );
  await stack.sql.query(
    `INSERT INTO outbox_tries (outbox_id, try, duration_ms, at)
     VALUES ('msg_kept', 1, 1, now() - interval '31 days'), ('msg_kept', 2, 1, now())`,
  );
  await stack.sql.query(
    `INSERT INTO notifications (id, user_id, type, title, created_at, read_at)
     VALUES ('seen', 'u', 't', 't', now() - interval '60 days', now() - interval '31 days'),
       ('unseen', 'u', 't', 't', now() - interval '60 days', NULL)`,
  );
  const done = await purge();
  expect(done).toMatchObject({ idempotency_keys: 1200, audit: 1, callback_tries: 1, notifications: 1 });
  expect(await count("idempotency_keys", "user_id = 'u'")).toBe(1);
  expect(await count("audit_log", "id IN ('old', 'new')")).toBe(1);
  expect(await count("outbox_tries")).toBe(1);
  expect(await count("notifications")).toBe(1);
}, 60_000);

test("what a version's name meant is kept for the oldest run that has not ended; unread notifications go later than read ones", async () => {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, created_at, expires_at)
     VALUES ('parent', 'u', 'a', '1', 'suspended', 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() - interval '50 days', now() + interval '1 day')`,
  );
  await stack.sql.query(
    `INSERT INTO agent_moves (agent_id, name, before, at)
     VALUES ('a', 'current', '1', now() - interval '60 days'), ('a', 'current', '2', now() - interval '40 days')`,
  );
  await stack.sql.query(
    `INSERT INTO notifications (id, user_id, type, title, created_at)
     VALUES ('long-unseen', 'u', 't', 't', now() - interval '91 days'), ('lately', 'u', 't', 't', now() - interval '89 days')`,
  );
  expect(await purge()).toMatchObject({ agent_moves: 1, unread_notifications: 1 });
  await stack.sql.query("DELETE FROM runs WHERE id = 'parent'");
  expect(await purge()).toMatchObject({ agent_moves: 1, unread_notifications: 0 });
}, 60_000);

test("whole runs are kept, unless a time is set for them", async () => {
  const id = await endedRun();
  await age(id, 400);
  expect(await purge()).not.toHaveProperty("runs");
  expect((await call(url, "GET", `/v1/runs/${id}`)).status).toBe(200);
  const other = await stack.openApi({ ...settings, RUN_RETENTION_DAYS: "365" });
  expect(await purge(other.url)).toMatchObject({ runs: 1 });
  expect((await call(url, "GET", `/v1/runs/${id}`)).status).toBe(404);
  expect(await count("transcript_chunks", `run_id = '${id}'`)).toBe(0);
}, 60_000);

test("a job that is over goes after its last run, where a time is set for runs; a cancelled one loses its values at once", async () => {
  const other = await stack.openApi({ ...settings, RUN_RETENTION_DAYS: "365" });
  const agent_id = await makeAgent(url, "def main(i): return 1");
  const makeJob = async (schedule: Date) => {
    const job = { agent_id, version: "current", env_vars: { TOKEN: "planted" }, schedule: schedule.toISOString() };
    return String((await call(url, "POST", "/v1/jobs", job)).body["id"]);
  };
  const [done, cancelled, active] = await Promise.all(
    [2_000, 3_600_000, 3_600_000].map((ms) => makeJob(new Date(Date.now() + ms))),
  );
  await stack.sql.query("UPDATE jobs SET updated_at = updated_at - interval '400 days'");
  await call(url, "POST", `/v1/jobs/${cancelled}/cancel`);
  expect(await count("jobs", `id = '${cancelled}' AND sealed_env IS NULL`)).toBe(1);
  const [run] = await waitFor(async () => {
    const { rows } = await stack.sql.query<{ id: string }>(
      "SELECT id FROM runs WHERE job_id = $1 AND completed_at IS NOT NULL",
      [done],
    );
    return rows.length > 0 ? rows : null;
  });
  // It is over since now, however long it has waited.
  expect(await count("jobs", `id = '${done}' AND status = 'completed' AND updated_at > now() - interval '1 day'`)).toBe(
    1,
  );
  await stack.sql.query("UPDATE jobs SET updated_at = now() - interval '400 days'");
  expect(await purge()).not.toHaveProperty("jobs");
  expect(await purge(other.url)).toMatchObject({ jobs: 1 });
  expect((await call(url, "GET", `/v1/jobs/${cancelled}`)).status).toBe(404);
  expect((await call(url, "GET", `/v1/jobs/${done}`)).body).toMatchObject({
    status: "completed",
    env_names: ["TOKEN"],
  });
  await age(String(run?.id), 400);
  await stack.sql.query("UPDATE job_ticks SET created_at = now() - interval '400 days'");
  await purge(other.url);
  await purge(other.url);
  expect((await call(url, "GET", `/v1/jobs/${done}`)).status).toBe(404);
  expect((await call(url, "GET", `/v1/jobs/${active}`)).body).toMatchObject({ status: "active" });
}, 60_000);
