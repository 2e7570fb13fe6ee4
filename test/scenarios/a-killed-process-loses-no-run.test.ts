import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** All that this file has started. */
const fleet: Member[] = [];
const counter = py`
  import time
  def main(input):
      for i in range(input['n']):
          yield i
          time.sleep(0.1)
      return {'n': input['n']}
`;

const stack = await useTestStack();
const { url } = await stack.start("api");

async function startWorkers(count: number): Promise<void> {
  fleet.push(...(await Promise.all(Array.from({ length: count }, () => stack.start("worker")))));
}

async function workerOf(runId: string): Promise<Member> {
  const pid = await waitFor(async () => {
    const { rows } = await stack.sql.query<{ pid: number }>(
      "SELECT w.pid FROM runs r JOIN workers w ON w.id = r.worker_id WHERE r.id = $1 AND r.status = 'running'",
      [runId],
    );
    return rows[0]?.pid;
  });
  const member = fleet.find(({ child }) => child.pid === pid);
  if (!member) throw new Error("no such worker");
  return member;
}

/** Kills the worker that executes a run. */
async function killWorkerOf(runId: string): Promise<void> {
  const worker = await workerOf(runId);
  await worker.stop("SIGKILL");
  await stack.lapse(worker);
}

test("kill -9 of the worker in mid-run: the run ends once, as attempt 2, its client's stream is gapless", async () => {
  await startWorkers(2);
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 12 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 3);
  await killWorkerOf(runId);
  const events = await watching;
  const second = events.find((event) => event.id === "2-1");
  expect(second).toMatchObject({ event: "run.started", data: { discards: { attempt: 1, reason: "worker_lost" } } });
  expect(events.at(-1)).toMatchObject({ event: "run.success", id: "2-14", data: { result_content: { n: 12 } } });
  const firstAttempt = events.filter((event) => event.id.startsWith("1-")).map((event) => event.id);
  expect(firstAttempt).toEqual(firstAttempt.map((_, i) => `1-${i + 1}`));
  expect(await readEvents(await resume(url, runId))).toEqual(events);
  await stack.redis.del(`${stack.prefix}run:${runId}`);
  expect(await readEvents(await resume(url, runId))).toEqual(events);
  const { rows } = await stack.sql.query(`SELECT 1 FROM run_transitions WHERE run_id = $1 AND "to" = 'success'`, [
    runId,
  ]);
  expect(rows).toHaveLength(1);
});

test("what a run said before each of two lost workers stays readable when Redis forgets it", async () => {
  await startWorkers(2);
  const agent_id = await makeAgent(url, counter);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 12 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  const stream = `${stack.prefix}run:${runId}`;
  for (const attempt of [1, 2]) {
    // Sooner than it writes behind.
    await waitFor(async () => (await stack.redis.xrange(stream, `${attempt}-3`, `${attempt}-3`)).length > 0);
    await killWorkerOf(runId);
  }
  const events = await watching;
  expect(events.at(-1)).toMatchObject({ event: "run.success", id: "3-14" });
  expect(events.map(({ id }) => id)).toEqual(expect.arrayContaining(["1-3", "2-3"]));
  await stack.redis.del(stream);
  expect(await readEvents(await resume(url, runId))).toEqual(events);
});

test("kill -9 of the API in mid-stream: the client resumes on another one and misses nothing", async () => {
  const doomed = await stack.start("api");
  const agent_id = await makeAgent(url, counter);
  const response = await execute(doomed.url, { agent_id, version: "current", input_payload: { n: 10 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const cut = readEvents(response);
  await waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 3);
  await doomed.stop("SIGKILL");
  const before = await cut;
  const after = await readEvents(await resume(url, runId, before.at(-1)?.id));
  expect([...before, ...after].map((event) => event.id)).toEqual([
    "0-1",
    ...Array.from({ length: 12 }, (_, i) => `1-${i + 1}`),
  ]);
});

test("SIGTERM of a worker in mid-run hands the run back uncharged; another one ends it", async () => {
  const worker = await stack.start("worker", { SHUTDOWN_GRACE_MS: "100", WORKER_SLOTS: "12" });
  const others = await stack.sql.query<{ pid: number }>("SELECT pid FROM workers WHERE pid <> $1", [worker.child.pid]);
  expect(others.rows.length).toBeGreaterThan(0);
  const agent_id = await makeAgent(url, counter);
  const runs = await Promise.all(
    Array.from(
      { length: 8 },
      async () =>
        (
          await call(
            url,
            "POST",
            "/v1/execute",
            { agent_id, version: "current", input_payload: { n: 15 } },
            { prefer: "respond-async" },
          )
        ).body["id"],
    ),
  );
  await waitFor(
    async () =>
      (
        await stack.sql.query(
          "SELECT 1 FROM runs r JOIN workers w ON w.id = r.worker_id WHERE w.pid = $1 AND r.status = 'running'",
          [worker.child.pid],
        )
      ).rows.length > 0,
  );
  await worker.stop("SIGTERM");
  await waitFor(
    async () =>
      (await stack.sql.query("SELECT 1 FROM runs WHERE id = ANY($1) AND status = 'success'", [runs])).rows.length ===
      runs.length,
    25_000,
  );
  const { rows } = await stack.sql.query<{ reason: string }>(
    `SELECT DISTINCT reason FROM run_transitions WHERE run_id = ANY($1) AND "from" = 'running' AND "to" = 'queued'`,
    [runs],
  );
  expect(rows).toEqual([{ reason: "drained" }]);
  const charged = await stack.sql.query("SELECT 1 FROM runs WHERE id = ANY($1) AND lost_attempts > 0", [runs]);
  expect(charged.rows).toEqual([]);
});

test("a run that kills its worker each time ends as worker_lost, and the others go on", async () => {
  const agent_id = await makeAgent(url, counter, { max_attempts: 1 });
  // So long that it goes on when the other worker has started.
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: 600 } });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  await workerOf(runId);
  const worker = await stack.start("worker");
  await killWorkerOf(runId);
  expect((await watching).at(-1)).toMatchObject({ event: "run.error", data: { error: { code: "worker_lost" } } });
  expect(worker.child.exitCode).toBeNull();
});
