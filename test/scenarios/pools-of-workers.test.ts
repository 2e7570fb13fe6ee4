import { expect, onTestFinished, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** A worker takes the runs of its pool only; whoever asks for a pool that nobody serves is told. */
const stack = await useTestStack();
const { url } = await stack.start("api");

/** Until the test's end. */
async function startWorker(env: Record<string, string> = {}): Promise<Member> {
  const worker = await stack.start("worker", env);
  onTestFinished(() => worker.stop("SIGKILL"));
  return worker;
}
const start = async (agent_id: string, more: object = {}): Promise<string> => {
  const { body } = await call(
    url,
    "POST",
    "/v1/execute",
    { agent_id, version: "current", ...more },
    { prefer: "respond-async" },
  );
  return String(body["id"]);
};
const runOf = async (id: string) => (await call(url, "GET", `/v1/runs/${id}`)).body;
const succeeds = (id: string) => waitFor(async () => (await runOf(id))["status"] === "success", 30_000);
const workersOf = async (ids: string[]) => {
  const { rows } = await stack.sql.query<{ pool: string; of: string }>(
    "SELECT DISTINCT r.pool, w.pool AS of FROM runs r JOIN workers w ON w.id = r.worker_id WHERE r.id = ANY($1)",
    [ids],
  );
  return rows;
};
const hello = "def main(input):\n    return 1\n";

test("a run of a pool that nobody serves waits and is told so everywhere; the pool's first worker takes it, and no other", async () => {
  const plain = await startWorker();
  const agent_id = await makeAgent(url, hello, { pool: "gpu" });
  const ids = await Promise.all(Array.from({ length: 12 }, () => start(agent_id)));
  const [first = ""] = ids;
  await waitFor(async () => (await runOf(first))["wait_reason"] === "no_worker");
  const health = await waitFor(async () => {
    const { body } = await call(url, "GET", "/health");
    return JSON.stringify(body["pools"]).includes("gpu") ? body : null;
  });
  expect(health["pools"]).toMatchObject([
    { pool: "default", workers: 1, queued: 0, oldest_ms: null },
    { pool: "gpu", workers: 0, queued: 12 },
  ]);
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain('runfleet_queue_depth{queue="runs",pool="gpu"} 12');
  expect(text).toContain('runfleet_demand_slots{pool="gpu"} 12');
  expect(text).toContain('runfleet_workers{pool="gpu",status="active"} 0');
  expect(text).toContain('runfleet_queue_depth{queue="runs",pool="default"} 0');

  const other = await makeAgent(url, hello);
  const usual = await start(other);
  await succeeds(usual);
  expect((await runOf(first))["status"]).toBe("queued");

  await startWorker({ WORKER_POOL: "gpu", WORKER_SLOTS: "4" });
  for (const id of ids) await succeeds(id);
  expect(await workersOf([...ids, usual])).toEqual(
    expect.arrayContaining([
      { pool: "gpu", of: "gpu" },
      { pool: "default", of: "default" },
    ]),
  );
  expect(await workersOf([...ids, usual])).toHaveLength(2);
  await plain.stop();
  // The default pool has no worker now; a run of the other one is granted or claimed all the same.
  const events = await readEvents(await execute(url, { agent_id, version: "current" }));
  expect(events.at(-1)?.event).toBe("run.success");
}, 60_000);

test("a pool's name is checked where an agent and a worker give it", async () => {
  const config = { source: hello, pool: "GPU pool" };
  const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "ada", name: "a", config });
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toMatch(/"config","pool"\].*lower case letters/);
  await expect(stack.start("worker", { WORKER_POOL: "a/b" })).rejects.toThrow(/ended with code [^0]/);
});

test("a run that was lost with two workers is executed alone: no other run shares its third worker", async () => {
  const worker = await startWorker({ WORKER_SLOTS: "4" });
  const slow = await makeAgent(
    url,
    py`
      import time
      def main(input):
          time.sleep(input.get('s', 0))
          return 1
    `,
  );
  const neighbours = [await start(slow, { input_payload: { s: 2 } }), await start(slow, { input_payload: { s: 2 } })];
  for (const id of neighbours) await waitFor(async () => (await runOf(id))["status"] === "running");
  // As the reconciler leaves a run whose second worker was lost.
  const suspect = await start(slow, {
    run_at: new Date(Date.now() + 3_600_000).toISOString(),
    input_payload: { s: 1 },
  });
  await stack.sql.query("UPDATE runs SET lost_attempts = 2, scheduled_at = now() WHERE id = $1", [suspect]);
  await waitFor(async () => (await runOf(suspect))["status"] === "queued");
  const later = await start(slow, { input_payload: { s: 0.1 } });
  await succeeds(later);
  await succeeds(suspect);
  const { rows } = await stack.sql.query<{ id: string }>(
    `SELECT other.id FROM runs mine JOIN runs other ON other.id <> mine.id AND other.worker_id = mine.worker_id
       AND other.started_at < mine.completed_at AND other.completed_at > mine.started_at WHERE mine.id = $1`,
    [suspect],
  );
  expect(rows).toEqual([]);
  for (const id of neighbours) await succeeds(id);
  // The worker takes runs side by side again.
  const pair = [await start(slow, { input_payload: { s: 1 } }), await start(slow, { input_payload: { s: 1 } })];
  await waitFor(async () => (await Promise.all(pair.map(runOf))).every((run) => run["status"] === "running"));
  await worker.stop();
}, 60_000);
