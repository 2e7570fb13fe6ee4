import { expect, test } from "vitest";
import { type Answer, call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

/** What a request may ask of its run beside the input: when it starts, before which others, and how far it may go. */

const stack = await useTestStack();
const { url } = await stack.startService({ worker: { WORKER_SLOTS: "2" } });

type Body = Record<string, unknown>;

const start = (agent_id: string, more: Body = {}): Promise<Answer> =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, { prefer: "respond-async" });
const startId = async (agent_id: string, more: Body = {}): Promise<string> => {
  const { status, body } = await start(agent_id, more);
  if (status !== 202) throw new Error(JSON.stringify(body));
  return String(body["id"]);
};
const runOf = async (id: string): Promise<Body> => (await call(url, "GET", `/v1/runs/${id}`)).body;
const ended = (id: string): Promise<Body> =>
  waitFor(async () => {
    const run = await runOf(id);
    return run["completed_at"] === null ? undefined : run;
  });
const finished = async (agent_id: string, more: Body = {}): Promise<Body> => ended(await startId(agent_id, more));

const echo = await makeAgent(url, "def main(input): return input");
/** Runs until it is completed from outside. */
const holder = "import time\ndef main(input):\n    yield 'here'\n    time.sleep(60)\n";
const complete = (id: string): Promise<Answer> =>
  call(url, "POST", `/v1/runs/${id}/complete`, { status: "success", result_content: {} });
const isRunning = (id: string): Promise<unknown> => waitFor(async () => (await runOf(id))["status"] === "running");

test("a delayed run waits for its time, says so, and runs then", async () => {
  const before = Date.now();
  const response = await execute(url, { agent_id: echo, version: "current", input_payload: { n: 1 }, delay_ms: 800 });
  const events = await readEvents(response);
  expect(events[0]).toMatchObject({
    event: "run.queued",
    data: { status: "scheduled", queue: { position: null, wait_reason: "delay" } },
  });
  const due = Date.parse(String(events[0]?.data["run_at"]));
  expect(due).toBeGreaterThanOrEqual(before + 800);
  expect(events.at(-1)).toMatchObject({ event: "run.success", data: { result_content: { n: 1 } } });
  const run = await runOf(String(events[0]?.data["run_id"]));
  expect(Date.parse(String(run["started_at"]))).toBeGreaterThanOrEqual(before + 800);
  const { body } = await call(url, "GET", `/v1/runs/${String(run["id"])}/timeline`);
  expect(body["data"]).toMatchObject([
    { from: null, to: "scheduled" },
    { from: "scheduled", to: "queued", reason: "delay" },
    { to: "running" },
    { to: "success" },
  ]);
});

test("a run of a given time is scheduled for it, is listed as such, and can be cancelled", async () => {
  const run_at = new Date(Date.now() + 3_600_000).toISOString();
  const { status, body } = await start(echo, { run_at });
  expect([status, body["status"], body["scheduled_at"], body["wait_reason"]]).toEqual([
    202,
    "scheduled",
    run_at,
    "delay",
  ]);
  const listed = await call(url, "GET", `/v1/runs?status=scheduled&agent_id=${echo}`);
  expect(listed.body["data"]).toMatchObject([{ id: body["id"] }]);
  const cancelled = await call(url, "POST", `/v1/runs/${String(body["id"])}/cancel`);
  expect(cancelled.body["status"]).toBe("cancelled");
  const past = await finished(echo, { run_at: "2020-01-01T00:00:00Z" });
  expect(past["status"]).toBe("success");
});

test("a delayed run keeps nobody of its thread waiting", async () => {
  const thread_id = "thread-of-a-delayed-run";
  const later = await startId(echo, { thread_id, delay_ms: 3_600_000 });
  expect(await finished(echo, { thread_id })).toMatchObject({ status: "success" });
  await call(url, "POST", `/v1/runs/${later}/cancel`);
});

/** As if the time of a delayed run had come. */
const fallDue = (id: string): Promise<unknown> =>
  stack.sql.query("UPDATE runs SET scheduled_at = now(), due_at = now() WHERE id = $1", [id]);

test("of debounced requests the last one runs, once, after its own delay", async () => {
  const debounce = { key: "save", delay_ms: 3_600_000 };
  const first = await start(echo, { debounce, input_payload: { n: 1 }, env_vars: { A: "1" } });
  expect(first.body).toMatchObject({ status: "scheduled", env_names: ["A"] });
  const id = String(first.body["id"]);
  const second = await start(echo, { debounce, input_payload: { n: 2 }, files: { "a.txt": "a" } });
  expect(second.body).toMatchObject({ id, status: "scheduled", env_names: [], files: [{ name: "a.txt" }] });
  expect(String(second.body["scheduled_at"]) > String(first.body["scheduled_at"])).toBe(true);
  const other = await start(echo, { debounce: { ...debounce, key: "other" }, input_payload: { n: 9 } });
  expect(other.body["id"]).not.toBe(id);
  await fallDue(id);
  expect(await ended(id)).toMatchObject({ status: "success", result_content: { n: 2 } });
  const { body } = await call(url, "GET", `/v1/runs/${id}/events`);
  const types = (body["data"] as Body[]).map(({ type }) => type);
  expect(types.slice(0, 3)).toEqual(["run.queued", "run.waiting", "run.started"]);
  // The key is free again, for a run that is due from then on.
  const later = await start(echo, { debounce, input_payload: { n: 3 } });
  const laterId = String(later.body["id"]);
  expect(laterId).not.toBe(id);
  await fallDue(laterId);
  const next = await start(echo, { debounce, input_payload: { n: 4 } });
  expect(next.body["id"]).not.toBe(laterId);
  expect(await ended(laterId)).toMatchObject({ result_content: { n: 3 } });
});

test("debounced requests that come at the same time are one run", async () => {
  const debounce = { key: "burst", delay_ms: 3_600_000 };
  const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => start(echo, { debounce, input_payload: { n } })));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 202]);
  const ids = new Set(answers.map(({ body }) => String(body["id"])));
  expect(ids.size).toBe(1);
  const [id = ""] = ids;
  await fallDue(id);
  expect(await ended(id)).toMatchObject({ status: "success" });
});

test("of the runs with one concurrency key so many run at once as the request, or the config, says", async () => {
  const agent = await makeAgent(url, holder);
  const key = { concurrency_key: "customer-7" };
  const first = await startId(agent, key);
  await isRunning(first);
  const second = await startId(agent, key);
  await waitFor(async () => (await runOf(second))["wait_reason"] === "concurrency_key");
  const other = await startId(agent, { concurrency_key: "customer-8" });
  await isRunning(other);
  expect((await runOf(second))["status"]).toBe("queued");
  await complete(other);
  await complete(first);
  await isRunning(second);
  const third = await startId(agent, { ...key, key_concurrency: 2 });
  await isRunning(third);
  await Promise.all([second, third].map(complete));

  const strict = await makeAgent(url, holder, { key_concurrency: 1 });
  const one = await startId(strict, { ...key, key_concurrency: 2 });
  await isRunning(one);
  const two = await startId(strict, { ...key, key_concurrency: 2 });
  await waitFor(async () => (await runOf(two))["wait_reason"] === "concurrency_key");
  await complete(one);
  await isRunning(two);
  await complete(two);
});

test("a run with a priority goes before runs of its user that came a little earlier", async () => {
  const agent = await makeAgent(url, holder);
  const holders = await Promise.all([startId(agent), startId(agent)]);
  await Promise.all(holders.map(isRunning));
  const quick = await makeAgent(url, "def main(input): return {}");
  const plain: string[] = [];
  for (let n = 0; n < 4; n += 1) plain.push(await startId(quick));
  const urgent = await startId(quick, { priority: 60 });
  await complete(String(holders[0]));
  const runs = await Promise.all([urgent, ...plain].map(ended));
  const [first, ...others] = runs.map((run) => Date.parse(String(run["started_at"])));
  // The slot that was free first may have taken one nudge before it looked at the queue.
  expect(others.filter((at) => at < Number(first)).length).toBeLessThanOrEqual(1);
  await complete(String(holders[1]));
});

test("a request narrows its agent's bounds, and never widens them", async () => {
  const agent = await makeAgent(url, "def main(input): return {}", {
    limits: { timeout_ms: 5_000 },
    max_attempts: 2,
  });
  const wider = await start(agent, { timeout_ms: 60_000, max_attempts: 9 });
  expect(wider.body).toMatchObject({
    timeout_ms: 5_000,
    max_attempts: 2,
    request_options: { timeout_ms: 60_000, max_attempts: 9 },
  });
  expect((await start(agent, { timeout_ms: 1_000, max_attempts: 1 })).body).toMatchObject({
    timeout_ms: 1_000,
    max_attempts: 1,
  });
  // Where the config is silent the request's counts.
  expect((await start(echo, { timeout_ms: 3_600_000 })).body).toMatchObject({ timeout_ms: 3_600_000 });
  expect((await start(echo)).body).toMatchObject({ timeout_ms: 600_000, request_options: null });
});

test("a run ends at its request's time-out, cost or tokens, and is tried no more often than it says", async () => {
  const slow = await makeAgent(url, holder);
  expect(await finished(slow, { timeout_ms: 300 })).toMatchObject({ status: "timeout" });

  const costly = await makeAgent(
    url,
    "def main(input, context):\n    context.usage(cost_usd=0.5, input_tokens=40, output_tokens=20)\n    return {}",
    { budget: { usd: 1 } },
  );
  expect(await finished(costly)).toMatchObject({ status: "success" });
  expect(await finished(costly, { max_cost_usd: 0.4 })).toMatchObject({ error: { code: "budget_exceeded" } });
  expect(await finished(costly, { max_tokens: 50 })).toMatchObject({ error: { code: "budget_exceeded" } });
  expect(await finished(costly, { max_cost_usd: 5, max_tokens: 60 })).toMatchObject({ status: "success" });

  const failing = await makeAgent(url, "def main(input): raise ValueError('no')", {
    retry: { max_attempts: 3, delay_ms: 0 },
  });
  expect(await finished(failing, { max_attempts: 1 })).toMatchObject({ status: "error", attempt: 1 });
});

test("a run waits in the queue no longer than its request says, counted from its time", async () => {
  const id = await startId(echo, { queue_ttl_ms: 1_000, delay_ms: 3_600_000 });
  const { rows } = await stack.sql.query(
    "SELECT extract(epoch FROM expires_at - scheduled_at)::int AS ttl FROM runs WHERE id = $1",
    [id],
  );
  expect(rows).toEqual([{ ttl: 1 }]);
  await call(url, "POST", `/v1/runs/${id}/cancel`);
});

test("run again keeps what the first request asked, and a job's runs have what the job asks", async () => {
  const id = String((await finished(echo, { timeout_ms: 4_000, priority: 3 }))["id"]);
  const again = await call(url, "POST", `/v1/runs/${id}/replay`, {});
  expect(await runOf(String(again.body["id"]))).toMatchObject({
    timeout_ms: 4_000,
    request_options: { timeout_ms: 4_000, priority: 3 },
  });
  const job = await call(url, "POST", "/v1/jobs", {
    agent_id: echo,
    version: "current",
    schedule: "@yearly",
    timeout_ms: 4_000,
  });
  const patched = await call(url, "PATCH", `/v1/jobs/${String(job.body["id"])}`, { max_attempts: 1 });
  expect(patched.status).toBe(200);
  const fired = await call(url, "POST", `/v1/jobs/${String(job.body["id"])}/trigger`);
  expect(fired.body).toMatchObject({ timeout_ms: 4_000, max_attempts: 1 });
});

test("options that mean nothing together are refused, each with its place", async () => {
  const faults = async (more: Body): Promise<unknown> => {
    const { status, body } = await start(echo, more);
    return [status, (body["detail"] as { loc: unknown }[]).map(({ loc }) => loc)];
  };
  const run_at = new Date(Date.now() + 60_000).toISOString();
  expect(await faults({ delay_ms: 5, run_at })).toEqual([422, [["body", "run_at"]]]);
  expect(await faults({ debounce: { key: "a", delay_ms: 5 }, delay_ms: 5 })).toEqual([422, [["body", "debounce"]]]);
  expect(await faults({ debounce: { key: "a", delay_ms: 5 }, run_id: "mine" })).toEqual([422, [["body", "run_id"]]]);
  expect(await faults({ key_concurrency: 2 })).toEqual([422, [["body", "key_concurrency"]]]);
  expect(await faults({ run_at: "2999-01-01T00:00:00Z" })).toEqual([422, [["body", "run_at"]]]);
  expect(await faults({ priority: -1, timeout_ms: 0, max_attempts: 101 })).toEqual([
    422,
    [
      ["body", "priority"],
      ["body", "timeout_ms"],
      ["body", "max_attempts"],
    ],
  ]);
});

test("a run that is deleted while its request waits for it is a 404", async () => {
  const leaving = await stack.openApi();
  const request = { agent_id: echo, version: "current", run_id: "deleted", delay_ms: 3_600_000 };
  const waiting = call(leaving.url, "POST", "/v1/execute", request, { prefer: "wait=60" });
  await waitFor(async () => (await stack.sql.query("DELETE FROM runs WHERE id = 'deleted'")).rowCount === 1);
  await leaving.close();
  expect(await waiting).toMatchObject({ status: 404, body: { code: "run_not_found" } });
});
