import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const scratch = mkdtempSync(join(tmpdir(), "health-"));
const stack = await useTestStack();
afterAll(() => rm(scratch, { recursive: true }));

test("health and fleet say why a worker has no stronger level, and its file until when it is alive", async () => {
  const alive = join(scratch, "alive");
  const api = await stack.openApi();
  const worker = await stack.start("worker", { BWRAP: "/nonexistent", ALIVE_FILE: alive });
  const read = async (path: string) => (await fetch(`${api.url}${path}`)).json();
  expect(await read("/health")).toMatchObject({
    workers: 1,
    sandbox_missing: expect.arrayContaining(["ns: bubblewrap is not installed"]),
  });
  expect(JSON.stringify(await read("/v1/admin/fleet"))).toContain("ns: bubblewrap is not installed");

  await waitFor(() => existsSync(alive));
  const until = Number(readFileSync(alive, "utf8"));
  expect(until).toBeGreaterThan(Date.now());
  await waitFor(() => Number(readFileSync(alive, "utf8")) > until);
  await worker.stop();
});

test("with keys nobody learns the names of pools, and how many runs wait for each", async () => {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, pool)
     SELECT pool, 'ada', 'a', '1', 'queued', 0, 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() + interval '1 h', pool FROM unnest(ARRAY['default', 'acme-gpu', 'acme-eu']) AS pool`,
  );
  onTestFinished(async () => void (await stack.sql.query("DELETE FROM runs WHERE user_id = 'ada'")));
  const { url } = await stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: randomBytes(32).toString("hex") });
  const { body } = await call(url, "GET", "/health");
  expect(body["pools"]).toMatchObject([
    { pool: "default", queued: 1, oldest_ms: expect.any(Number) },
    { pool: "*", workers: 0, queued: 2, oldest_ms: expect.any(Number) },
  ]);
  expect(JSON.stringify(body)).not.toContain("acme");
});

test("a flood of health checks takes few connections: others are served while Postgres is slow to answer it", async () => {
  const { url } = await stack.openApi({ EXPECTED_ADAPTERS: "python" });
  const locker = await stack.sql.connect();
  onTestFinished(() => locker.release(true));
  await locker.query("BEGIN; LOCK TABLE workers IN ACCESS EXCLUSIVE MODE");
  const flood = Promise.all(Array.from({ length: 200 }, () => call(url, "GET", "/health")));
  const waiting = async () => {
    const { rows } = await stack.sql.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows[0]?.n ?? 0;
  };
  await waitFor(async () => (await waiting()) > 0);
  expect((await call(url, "GET", "/v1/agents?user_id=tester")).status).toBe(200);
  expect((await call(url, "GET", "/health/ready")).status).toBe(200);
  const isSlow = ({ body }: { body: Record<string, unknown> }) =>
    body["status"] === "degraded" && body["postgres"] === "up";
  expect((await flood).every(isSlow)).toBe(true);
  // One asks for the workers and one for the pools.
  expect(await waiting()).toBeLessThanOrEqual(2);
});

test("a worker that can't have the level it must have ends before it joins the fleet", async () => {
  const env = { BWRAP: "/nonexistent", SANDBOX_MIN_LEVEL: "3" };
  await expect(stack.start("worker", env)).rejects.toThrow(/ended with code [^0]/);
});

test("an API without workers is not ready, unless it is told what workers are started for: then runs of that wait for one", async () => {
  const alone = await stack.openApi();
  const refused = await call(alone.url, "GET", "/health/ready");
  expect([refused.status, refused.body["code"]]).toEqual([503, "no_worker"]);
  const { url } = await stack.openApi({ EXPECTED_ADAPTERS: "python" });
  expect((await call(url, "GET", "/health/ready")).status).toBe(200);
  const agent_id = await makeAgent(url, "def main(input):\n    return 1\n");
  const start = (base: string, more: Record<string, unknown> = {}) =>
    call(base, "POST", "/v1/execute", { agent_id, version: "current", ...more }, { prefer: "respond-async" });
  const { status, body } = await start(url);
  expect(status).toBe(202);
  const codes = [await start(alone.url), await start(url, { adapter_type: "node" })].map((one) => one.body["code"]);
  expect(codes).toEqual(["no_worker", "no_worker"]);
  expect((await start(url, { lifecycle: "interactive", thread_id: "t" })).body["code"]).toBe("lifecycle_unavailable");

  const worker = await stack.start("worker");
  await waitFor(async () => (await call(url, "GET", `/v1/runs/${String(body["id"])}`)).body["status"] === "success");
  expect((await call(alone.url, "GET", "/health/ready")).status).toBe(200);
  await worker.stop();
}, 60_000);
