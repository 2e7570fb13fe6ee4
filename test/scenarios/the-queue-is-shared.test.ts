import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { readEnv } from "../../shared/platform/config/env.ts";
import { openRunQueue } from "../../shared/platform/queue/run-queue.ts";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { timeLimit } from "../harness/time-limit.ts";
import { waitFor } from "../harness/wait-for.ts";

const engines = mkdtempSync(join(tmpdir(), "engines-"));
const sleeper = (seconds: number) => py`
  import time
  def main(input):
      time.sleep(${seconds})
      return {}
`;

const stack = await useTestStack();
const { url } = await stack.openApi({ OWNER_QUEUE_LIMIT: "20000", AGENT_QUEUE_LIMIT: "10" });
afterAll(() => rmSync(engines, { recursive: true }));

const start = (agent_id: string, more: object = {}) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, { prefer: "respond-async" });
const count = async (where: string, ...values: unknown[]) =>
  (await stack.sql.query<{ n: number }>(`SELECT count(*)::int AS n FROM runs WHERE ${where}`, values)).rows[0]?.n ?? 0;
const ofUser = async (user_id: string, source: string) => {
  const { body } = await call(url, "POST", "/v1/agents", { user_id, name: "agent", config: { source } });
  return String(body["id"]);
};

test("an agent runs as often at once as its config allows, on all workers together; the others wait and say why", async () => {
  const workers = await Promise.all([stack.start("worker"), stack.start("worker")]);
  const agent_id = await makeAgent(url, sleeper(0.5), { concurrency: 2 });
  const ids = await Promise.all(Array.from({ length: 10 }, async () => String((await start(agent_id)).body["id"])));
  const seen: number[] = [];
  await waitFor(async () => {
    seen.push(await count("agent_id = $1 AND status = 'running'", agent_id));
    return (await count("agent_id = $1 AND status = 'success'", agent_id)) === ids.length;
  }, 30_000);
  expect(Math.max(...seen)).toBe(2);
  const events = await Promise.all(ids.map(async (id) => readEvents(await fetch(`${url}/v1/runs/${id}/stream`))));
  for (const stream of events) {
    const waited = stream.some(({ event }) => event === "run.waiting");
    expect(stream.find(({ event }) => event === "run.started")?.data["follows"]).toBe(waited ? undefined : "0-1");
  }
  const waits = events.flat().filter(({ event }) => event === "run.waiting");
  expect(waits.length).toBeGreaterThan(0);
  for (const { data } of waits) expect(data["queue"]).toMatchObject({ wait_reason: "concurrency_limit" });
  await Promise.all(workers.map((worker) => worker.stop()));
}, 60_000);

test("a run goes to a worker that offers its adapter, whichever hears of it first", async () => {
  copyFileSync(new URL("../worker/adapters/fake-engine.sh", import.meta.url), join(engines, "docker"));
  chmodSync(join(engines, "docker"), 0o755);
  const plain = await stack.start("worker");
  const plainIds = (await stack.sql.query<{ id: string }>("SELECT id FROM workers")).rows.map(({ id }) => id);
  const able = await stack.start("worker", {
    PATH: `${engines}:${readEnv()["PATH"]}`,
    CONTAINER_IMAGES: "agent:1",
  });
  const agent = {
    user_id: "tester",
    name: "boxed",
    config: { adapter_type: "container", image: "agent:1", command: ["echo", "boxed"] },
  };
  const agent_id = String((await call(url, "POST", "/v1/agents", agent)).body["id"]);
  for (let i = 0; i < 6; i++) {
    const events = await readEvents(
      await execute(url, { agent_id, version: "current", adapter_type: "container", input_payload: { i } }),
    );
    expect(events.at(-1)?.event).toBe("run.success");
    const runId = String(events[0]?.data["run_id"]);
    const { rows } = await stack.sql.query<{ worker_id: string }>("SELECT worker_id FROM runs WHERE id = $1", [runId]);
    expect(plainIds).not.toContain(rows[0]?.worker_id);
  }
  await Promise.all([plain.stop(), able.stop()]);
}, 60_000);

test("one owner's 10,000 waiting runs delay another's first by no more than a few runs' time", async () => {
  const worker = await stack.start("worker", { WORKER_SLOTS: "2" });
  // Each lasts long beside what a busy or slow machine takes to start one, so that the count tells of turns and not of time.
  const [many, one] = [await ofUser("many", sleeper(timeLimit(400) / 1_000)), await ofUser("one", sleeper(0))];
  const first = String((await start(many)).body["id"]);
  const { rows } = await stack.sql.query<{ id: string }>(
    `INSERT INTO runs SELECT r.* FROM runs original, generate_series(1, 10000) AS i,
       jsonb_populate_record(original, jsonb_build_object('id', 'many-' || i, 'status', 'queued', 'attempt', 0,
         'created_at', now(), 'started_at', NULL, 'completed_at', NULL, 'worker_id', NULL, 'lease_until', NULL)) AS r
     WHERE original.id = $1 RETURNING id`,
    [first],
  );
  const queue = openRunQueue(inject("redisUrl"), stack.prefix, () => undefined);
  for (let at = 0; at < rows.length; at += 500)
    await Promise.all(rows.slice(at, at + 500).map(({ id }) => queue.dispatch(id, "default")));
  await queue.close();
  await waitFor(() => count("user_id = 'many' AND status = 'running'"));
  const id = String((await start(one)).body["id"]);
  await waitFor(() => count("id = $1 AND status = 'success'", id), 30_000);
  const between = await count(
    `user_id = 'many' AND started_at BETWEEN (SELECT created_at FROM runs WHERE id = $1) AND
     (SELECT started_at FROM runs WHERE id = $1)`,
    id,
  );
  expect(between).toBeLessThanOrEqual(4);
  expect(await count("user_id = 'many' AND status = 'queued'")).toBeGreaterThan(9_000);
  // What was passed over isn't forgotten: the nudges go on to take the others.
  const ended = await count("user_id = 'many' AND status = 'success'");
  await waitFor(async () => (await count("user_id = 'many' AND status = 'success'")) > ended + 10, 20_000);
  await stack.sql.query("DELETE FROM runs WHERE user_id = 'many' AND status = 'queued'");
  await worker.stop();
}, 120_000);

test("a full queue answers 429 with Retry-After before anything is written", async () => {
  const worker = await stack.start("worker", { WORKER_SLOTS: "1" });
  const agent_id = await makeAgent(url, sleeper(60));
  await start(agent_id);
  await waitFor(() => count("agent_id = $1 AND status = 'running'", agent_id));
  const answers = [];
  for (let i = 0; i < 12; i++) answers.push(await start(agent_id, { run_id: `waits-${i}` }));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(2);
  expect(refused[0]).toMatchObject({ body: { code: "agent_queue_full" } });
  expect(Number(refused[0]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await count("agent_id = $1", agent_id)).toBe(1 + answers.length - refused.length);
  const taken = answers.find(({ status }) => status === 202);
  const repeated = await start(agent_id, { run_id: String(taken?.body["id"]) });
  expect([repeated.status, repeated.body["id"]]).toEqual([202, taken?.body["id"]]);
  await worker.stop("SIGKILL");
});
