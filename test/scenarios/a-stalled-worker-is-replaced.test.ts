import { openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { join, resolve } from "node:path";
import pg from "pg";
import { type TestContext, test, vi } from "vitest";
import { supervise } from "../../dev/supervise.ts";
import { call, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { openTestStack, type TestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const preload = `--import ${resolve("test/harness/preload/stall-worker.mjs")}`;

type Member = { id: string; status: string };
type Move = { to: string; reason: string | null };

type Scene = {
  stack: TestStack;
  url: string;
  submit: (more?: Record<string, unknown>) => Promise<string>;
  haveEnded: (ids: string[], timeoutMs: number) => Promise<unknown>;
};

async function openScene(context: TestContext): Promise<Scene> {
  const stack = await openTestStack();
  context.onTestFinished(() => stack.close());
  const { url } = await stack.openApi();
  // With a bound its runs go by the queue: a run that is granted needs neither a nudge nor a poll.
  const agent_id = await makeAgent(url, "def main(input): return {}", { concurrency: 8 });
  return {
    stack,
    url,
    async submit(more = {}) {
      const request = { agent_id, version: "current", ...more };
      const { status, body } = await call(url, "POST", "/v1/execute", request, { prefer: "respond-async" });
      context.expect(status).toBe(202);
      return String(body["id"]);
    },
    haveEnded: (ids, timeoutMs) =>
      waitFor(
        async () =>
          (await stack.sql.query("SELECT 1 FROM runs WHERE id = ANY($1) AND status = 'success'", [ids])).rowCount ===
          ids.length,
        timeoutMs,
      ),
  };
}

/** Cuts a stack's database off from everybody, or lets them in again. */
async function allowPostgres({ databaseUrl }: TestStack, allow: boolean): Promise<void> {
  const at = new URL(databaseUrl);
  const name = at.pathname.slice(1);
  at.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: at.href });
  await admin.connect();
  await admin.query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${allow}`);
  if (!allow) await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [name]);
  await admin.end();
}

/** By its lease of a second it would leave after two looks in vain, which take less than this. */
const twoLooksMs = 7_000;

// Both wait more than they work.
test.concurrent("a worker for which nothing is to be taken is not stalled, nor is one that was frozen or whose Postgres was away", async (context) => {
  const { expect } = context;
  const { stack, url, submit, haveEnded } = await openScene(context);
  const worker = await stack.start("worker", { LEASE_MS: "1000", WORKER_SLOTS: "2" });
  const [one, paused] = await Promise.all([
    makeAgent(
      url,
      py`
        import time
        def main(input): time.sleep(60)
      `,
      { concurrency: 1 },
    ),
    makeAgent(url, "def main(input): return {}"),
  ]);
  await stack.sql.query("INSERT INTO queue_pauses (name, paused_by) VALUES ('runs', 'test')");
  for (const agent_id of [one, one, paused]) await submit({ agent_id });
  await call(url, "POST", `/v1/agents/${paused}/pause`);
  await stack.sql.query(
    `INSERT INTO runs SELECT made.* FROM runs seen,
       jsonb_populate_record(seen, jsonb_build_object('id', 'x', 'adapter_type', 'elsewhere')) AS made
     WHERE seen.agent_id = $1 LIMIT 1`,
    [one],
  );
  await stack.sql.query("DELETE FROM queue_pauses");
  const waiting = async () => (await stack.sql.query("SELECT 1 FROM runs WHERE status = 'queued'")).rowCount;
  await waitFor(async () => (await waiting()) === 3, 30_000);
  await sleep(twoLooksMs);
  expect(await waiting()).toBe(3);

  worker.child.kill("SIGSTOP");
  const run = await submit();
  await allowPostgres(stack, false);
  await sleep(1_000);
  worker.child.kill("SIGCONT");
  await sleep(twoLooksMs);
  await allowPostgres(stack, true);
  await haveEnded([run], 20_000);
  expect([worker.child.exitCode, worker.logged()]).toEqual([null, expect.not.stringContaining("stalled")]);
}, 60_000);

test.concurrent("a worker that executes a run alone is not stalled, though others wait meanwhile", async (context) => {
  const { stack, url, submit, haveEnded } = await openScene(context);
  const worker = await stack.start("worker", { LEASE_MS: "1000", WORKER_SLOTS: "2" });
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def main(input): time.sleep(10)
    `,
    // A lease of a second may lapse on a busy machine.
    { concurrency: 8, max_attempts: 20 },
  );
  await stack.sql.query("INSERT INTO queue_pauses (name, paused_by) VALUES ('runs', 'test')");
  const suspect = await submit({ agent_id });
  await stack.sql.query("UPDATE runs SET lost_attempts = 2 WHERE id = $1", [suspect]);
  await stack.sql.query("DELETE FROM queue_pauses");
  const isAlone = async () =>
    (await stack.sql.query("SELECT 1 FROM runs WHERE id = $1 AND status = 'running'", [suspect])).rowCount;
  await waitFor(isAlone, 30_000);
  const others = [await submit(), await submit()];

  await haveEnded([suspect, ...others], 40_000);
  context
    .expect([worker.child.exitCode, worker.logged()])
    .toEqual([null, context.expect.not.stringContaining("stalled")]);
  // In none of its attempts: with a lease of a second, a busy machine may take it away.
  const besides = await stack.sql.query<{ others: string[] }>(
    `SELECT attempt.at, array_remove(array_agg(other.id), NULL) AS others
     FROM (SELECT "to", at, lead(at) OVER (ORDER BY seq) AS until FROM run_transitions WHERE run_id = $1) attempt
     LEFT JOIN runs other ON other.id = ANY($2) AND other.started_at >= attempt.at AND other.started_at < attempt.until
     WHERE attempt."to" = 'running' GROUP BY attempt.at`,
    [suspect, others],
  );
  context.expect(besides.rows.length).toBeGreaterThan(0);
  context.expect(besides.rows.filter((attempt) => attempt.others.length > 0)).toEqual([]);
}, 60_000);

test.concurrent("a worker that hears no nudge and whose poll is stuck says so, leaves, is started again, and the runs that waited end", async (context) => {
  const { expect } = context;
  const { stack, url, submit, haveEnded } = await openScene(context);
  const log = join(tmpdir(), `runfleet-stalled-${process.pid}.log`);
  const pids: number[] = [];
  const said = vi.spyOn(process.stderr, "write");
  context.onTestFinished(() => said.mockRestore());
  const supervised = supervise(resolve("dist/worker/main.js"), {
    env: { ...stack.env, LEASE_MS: "1000", NODE_OPTIONS: preload },
    output: openSync(log, "w"),
    onStart: (pid) => pids.push(pid),
  });
  context.onTestFinished(() => supervised.stop(5_000));
  await waitFor(async () => (await stack.sql.query("SELECT 1 FROM workers")).rowCount, 60_000);
  await haveEnded([await submit()], 30_000);

  process.kill(pids[0] ?? NaN, "SIGUSR2");
  const waiting = [await submit(), await submit(), await submit()];
  const members = async () => (await call(url, "GET", "/v1/admin/fleet")).body["data"] as Member[];
  const isStalled = async () => {
    const [fleet, metrics] = await Promise.all([members(), fetch(`${url}/metrics`).then((answer) => answer.text())]);
    const stalled = fleet.find(({ status }) => status === "stalled");
    return metrics.includes('runfleet_workers{pool="default",status="stalled"} 1') && stalled?.id;
  };
  const stalledId = await waitFor(isStalled, 30_000);

  await haveEnded(waiting, 60_000);
  expect(pids).toHaveLength(2);
  expect(said.mock.calls.flat()).toContainEqual(expect.stringContaining("ended (75); it is started again"));
  expect(readFileSync(log, "utf8")).toMatch(/"exit_code":75,.*this worker is stalled/);
  // It began none of them, and so none was charged for it.
  const moves = waiting.map((id) => call(url, "GET", `/v1/runs/${id}/timeline`));
  const begun = (await Promise.all(moves)).map(({ body }) =>
    (body["data"] as Move[]).filter(({ to }) => to === "running"),
  );
  expect(begun.every((attempts) => attempts.length > 0)).toBe(true);
  expect(begun.flat().filter(({ reason }) => reason === stalledId)).toEqual([]);
  rmSync(log);
}, 120_000);
