import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const source = "def main(input): return {}";
type Item = Record<string, unknown>;

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

async function agentOf(url: string, user_id: string, config: object = {}): Promise<string> {
  const { body } = await call(url, "POST", "/v1/agents", { user_id, name: "a", config: { source, ...config } });
  return String(body["id"]);
}
async function jobOf(url: string, agent_id: string, more: object = {}): Promise<string> {
  const job = { agent_id, version: "current", schedule: inAnHour(), overlap: "allow", ...more };
  const { status, body } = await call(url, "POST", "/v1/jobs", job);
  expect([status, body["detail"]]).toEqual([201, undefined]);
  return String(body["id"]);
}
const ticksOf = async (id: string) => {
  const { rows } = await stack.sql.query<Item>(
    "SELECT outcome, reason FROM job_ticks WHERE job_id = $1 ORDER BY scheduled_at",
    [id],
  );
  return rows;
};
/** Copies a job `count` times: the copies are due since `seconds` ago. */
const copies = async (id: string, count: number, seconds: number) => {
  const { rows } = await stack.sql.query<{ columns: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
     WHERE table_name = 'jobs' AND column_name NOT IN ('id', 'next_tick_at')`,
  );
  const columns = rows[0]?.columns ?? "";
  await stack.sql.query(
    `INSERT INTO jobs (id, next_tick_at, ${columns})
     SELECT id || '-' || n, date_trunc('second', now()) - $3 * interval '1 s', ${columns} FROM jobs, generate_series(1, $2) AS n WHERE id = $1`,
    [id, count, seconds],
  );
};

test("jobs make no run where the queue has no room: for a trigger, a backfill and a tick of the schedule", async () => {
  const { url } = await stack.openApi({ OWNER_QUEUE_LIMIT: "2", QUEUE_LIMIT: "3" });
  const agent = await agentOf(url, "greedy");
  const id = await jobOf(url, agent);
  const trigger = () => call(url, "POST", `/v1/jobs/${id}/trigger`);
  expect([(await trigger()).status, (await trigger()).status]).toEqual([202, 202]);
  expect(await trigger()).toMatchObject({ status: 429, body: { code: "owner_queue_full" } });
  const hourly = await jobOf(url, agent, { schedule: "0 * * * *" });
  const range = { from: "2026-11-20T00:00:00Z", to: "2026-11-20T01:00:00Z" };
  expect((await call(url, "POST", `/v1/jobs/${hourly}/backfill`, range)).body).toMatchObject({
    fired: 0,
    skipped: 2,
    data: [{ reason: "owner_queue_full" }, { reason: "owner_queue_full" }],
  });
  const another = await jobOf(url, await agentOf(url, "modest"));
  expect((await call(url, "POST", `/v1/jobs/${another}/trigger`)).status).toBe(202);
  expect(await call(url, "POST", `/v1/jobs/${another}/trigger`)).toMatchObject({
    status: 503,
    body: { code: "queue_full" },
  });
  // A worker of another pool fires ticks and takes none of these runs.
  const worker = await stack.openWorker({ OWNER_QUEUE_LIMIT: "2", WORKER_POOL: "elsewhere" });
  await stack.sql.query("UPDATE jobs SET next_tick_at = date_trunc('second', now()) WHERE id = $1", [id]);
  await waitFor(async () => (await ticksOf(id)).length === 3);
  expect(await ticksOf(id)).toContainEqual({ outcome: "skipped", reason: "owner_queue_full" });
  await worker.close();
  await stack.sql.query("DELETE FROM runs");
  await stack.sql.query("DELETE FROM jobs");
});

test("a user with hundreds of due jobs doesn't delay another's", async () => {
  const { url } = await stack.openApi();
  const many = await jobOf(url, await agentOf(url, "many"));
  const few = await jobOf(url, await agentOf(url, "few"));
  await copies(many, 400, 30);
  await copies(few, 1, 5);
  const worker = await stack.openWorker({ WORKER_POOL: "elsewhere" });
  const [tick] = await waitFor(async () => {
    const { rows } = await stack.sql.query("SELECT created_at FROM job_ticks WHERE job_id = $1", [`${few}-1`]);
    return rows.length > 0 ? rows : null;
  });
  const { rows } = await stack.sql.query<{ before: number }>(
    "SELECT count(*)::int AS before FROM job_ticks WHERE created_at < $1",
    [(tick as { created_at: Date }).created_at],
  );
  expect(rows[0]?.before).toBeLessThan(5);
  await waitFor(async () => {
    const { rows: fired } = await stack.sql.query("SELECT 1 FROM job_ticks WHERE job_id LIKE $1", [`${many}-%`]);
    return fired.length === 400;
  }, 30_000);
  await worker.close();
  await stack.sql.query("DELETE FROM runs");
  await stack.sql.query("DELETE FROM jobs");
}, 60_000);

test("a tick each second that comes to a minute's backlog fires each tick once, a few at a time", async () => {
  const { url } = await stack.openApi();
  const id = await jobOf(url, await agentOf(url, "late"), { schedule: "every 1s" });
  await stack.sql.query(
    "UPDATE jobs SET next_tick_at = date_trunc('second', now()) - interval '50 s', ends_at = date_trunc('second', now()) WHERE id = $1",
    [id],
  );
  const worker = await stack.openWorker({ WORKER_POOL: "elsewhere" });
  await waitFor(async () => (await call(url, "GET", `/v1/jobs/${id}`)).body["status"] === "completed");
  const ticks = await ticksOf(id);
  expect(ticks.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 51 }, () => "fired"));
  const { rows } = await stack.sql.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM runs WHERE job_id = $1 GROUP BY xmin",
    [id],
  );
  expect(Math.max(...rows.map(({ count }) => count))).toBeLessThanOrEqual(10);
  await worker.close();
}, 60_000);

test("triggers and patches that wait for each other leave the API's connections to everybody else", async () => {
  const { url } = await stack.openApi({ DATABASE_POOL: "4" });
  const agent = await makeAgent(url, source);
  const daemons = await Promise.all(
    Array.from({ length: 8 }, async () => {
      const daemon = await makeAgent(url, "def main(inbox): pass");
      return jobOf(url, daemon, { lifecycle: "daemon" });
    }),
  );
  const id = await jobOf(url, agent);
  // Somebody else holds the job's lock, as a worker does that stands still.
  const holder = await stack.sql.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE", [id]);
  const waiting = Array.from({ length: 8 }, (_, i) => [
    call(url, "POST", `/v1/jobs/${id}/trigger`),
    call(url, "PATCH", `/v1/jobs/${id}`, { name: `n${i}` }),
  ]).flat();
  await waitFor(async () => {
    const { rows } = await stack.sql.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= 2;
  });
  expect((await call(url, "GET", "/v1/agents")).status).toBe(200);
  await holder.query("ROLLBACK");
  holder.release();
  const answers = await Promise.all(waiting);
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => [202, 200]).flat());
  const fired = await Promise.all(daemons.map((job) => call(url, "POST", `/v1/jobs/${job}/trigger`)));
  expect(fired.map(({ status }) => status)).toEqual(daemons.map(() => 202));
}, 60_000);

test("a job with hundreds of waiting runs is cancelled, and meanwhile everybody else is answered", async () => {
  const { url } = await stack.openApi({ DATABASE_POOL: "20" });
  const id = await jobOf(url, await agentOf(url, "many-runs"), { schedule: "every 1m" });
  const ranges = [0, 1, 2].map((hour) => ({
    from: `2026-11-20T0${hour}:00:00Z`,
    to: `2026-11-20T0${hour}:59:59Z`,
  }));
  for (const range of ranges)
    expect((await call(url, "POST", `/v1/jobs/${id}/backfill`, range)).body["fired"]).toBe(60);
  const cancelled = call(url, "POST", `/v1/jobs/${id}/cancel`);
  const busiest = { connections: 0 };
  await waitFor(async () => {
    const { rows: active } = await stack.sql.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'runfleet-api' AND state <> 'idle'",
    );
    busiest.connections = Math.max(busiest.connections, active.length);
    const { rows: open } = await stack.sql.query("SELECT 1 FROM runs WHERE job_id = $1 AND status <> 'cancelled'", [
      id,
    ]);
    return open.length === 0;
  }, 30_000);
  expect((await cancelled).body).toMatchObject({ status: "cancelled" });
  expect(busiest.connections).toBeLessThanOrEqual(10);
}, 60_000);
