import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openRunQueue, type RunQueue } from "../../shared/platform/queue/run-queue.ts";
import { preferredWorkers } from "../../shared/services/runs/grant-run.ts";
import { createCreditGiver } from "../../worker/fleet/give-credit.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { daemonThat } from "../harness/daemon-client.ts";
import { py } from "../harness/py.ts";
import { type Member, useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** A run that may begin at once is committed as the attempt of a worker that has room: no claim, and no queue. */
const stack = await useTestStack();
const { url } = await stack.openApi();
let queue: RunQueue;
beforeAll(() => {
  queue = openRunQueue(stack.env["REDIS_URL"] ?? "", stack.prefix, () => undefined);
});
afterAll(() => queue.close());

/** Until the test's end. */
async function startWorker(env?: Record<string, string>): Promise<Member> {
  const worker = await stack.start("worker", env);
  onTestFinished(() => worker.stop("SIGKILL"));
  return worker;
}
const idOf = async ({ child }: Member): Promise<string> => {
  const { rows } = await stack.sql.query<{ id: string }>("SELECT id FROM workers WHERE pid = $1", [child.pid]);
  return rows[0]?.id ?? "";
};
const keyOf = (worker: string): string => `${stack.prefix}{credits}:${worker}`;
const creditsOf = async (worker: string): Promise<number> => Number((await stack.redis.get(keyOf(worker))) ?? 0);
const timelineOf = async (runId: string) => {
  const { rows } = await stack.sql.query<{ to: string; attempt: number; at: Date; reason: string | null }>(
    `SELECT "to", attempt, at, reason FROM run_transitions WHERE run_id = $1 ORDER BY seq`,
    [runId],
  );
  return rows;
};

/** Runs an agent until the API has seen that the worker is there: then a run is granted to it. */
async function untilGranted(agent_id: string, worker: string): Promise<void> {
  await waitFor(async () => {
    const response = await execute(url, { agent_id, version: "current", input_payload: {} });
    await readEvents(response);
    const [accepted, begun] = await timelineOf(response.headers.get("x-run-id") ?? "");
    return begun?.reason === worker && begun.at.getTime() === accepted?.at.getTime();
  }, 30_000);
}

const hello = py`
  def main(input):
      yield 'hello'
      return {'secret': __import__('os').environ.get('TOKEN'), 'got': input}
`;

test("a run begins in the statement that accepts it, with all that it was given, and leaves the worker's room as it was", async () => {
  const worker = await startWorker({ WORKER_SLOTS: "12" });
  const id = await idOf(worker);
  const agent_id = await makeAgent(url, hello, { secrets: ["TOKEN"] });
  await call(url, "PUT", `/v1/agents/${agent_id}/secrets/TOKEN`, { value: "s3cret-value" });
  await untilGranted(agent_id, id);
  const response = await execute(url, { agent_id, version: "current", input_payload: { n: [1, { deep: "ä" }] } });
  const events = await readEvents(response);
  expect(events.at(-1)).toMatchObject({
    event: "run.success",
    data: { result_content: { got: { n: [1, { deep: "ä" }] } } },
  });
  const [accepted, begun] = await timelineOf(response.headers.get("x-run-id") ?? "");
  expect(begun).toMatchObject({ to: "running", attempt: 1, reason: id });
  expect(begun?.at).toEqual(accepted?.at);
  await waitFor(async () => (await creditsOf(id)) === 3);
  await worker.stop("SIGTERM");
  expect(await stack.redis.exists(keyOf(id))).toBe(0);
});

test("a run waits while the queue is paused, though a worker has room, and runs when it goes on", async () => {
  const worker = await startWorker();
  const id = await idOf(worker);
  await waitFor(async () => (await creditsOf(id)) > 0);
  const agent_id = await makeAgent(url, hello);
  await call(url, "POST", "/v1/admin/queues/runs/pause", {});
  const body = { agent_id, version: "current", input_payload: {} };
  const { body: run } = await call(url, "POST", "/v1/execute", body, { prefer: "respond-async" });
  expect(run).toHaveProperty("id");
  expect((await timelineOf(String(run["id"]))).map(({ to }) => to)).toEqual(["queued"]);
  await call(url, "POST", "/v1/admin/queues/runs/resume", {});
  await waitFor(async () => (await timelineOf(String(run["id"]))).at(-1)?.to === "success", 20_000);
});

test("a worker that was frozen when a run was granted to it doesn't run it once the run is another worker's", async () => {
  const frozen = await startWorker({ WORKER_SLOTS: "8" });
  const id = await idOf(frozen);
  const agent_id = await makeAgent(url, hello);
  await untilGranted(agent_id, id);
  await waitFor(async () => (await creditsOf(id)) === 2);
  frozen.child.kill("SIGSTOP");
  const response = await execute(url, { agent_id, version: "current", input_payload: {} });
  const watching = readEvents(response);
  const runId = response.headers.get("x-run-id") ?? "";
  await waitFor(async () => (await timelineOf(runId)).at(-1)?.reason === id);
  await startWorker();
  await stack.lapse(frozen);
  const events = await watching;
  expect(events.map((event) => event.id)).toEqual(["0-1", "2-1", "2-2", "2-3"]);
  frozen.child.kill("SIGCONT");
  // It is at work again when it gives the credit anew.
  await waitFor(async () => (await creditsOf(id)) === 2, 30_000);
  expect((await timelineOf(runId)).map(({ attempt, to }) => `${attempt} ${to}`)).toEqual([
    "0 queued",
    "1 running",
    "1 queued",
    "2 running",
    "2 success",
  ]);
}, 60_000);

test("runs that are granted to a worker without room go back to the queue, which says so, and cost no attempt", async () => {
  const worker = await startWorker({ WORKER_SLOTS: "2" });
  const id = await idOf(worker);
  const agent_id = await makeAgent(url, "def main(input): __import__('time').sleep(1)");
  await untilGranted(await makeAgent(url, hello), id);
  // As if the worker had promised more than it has.
  await queue.credits.give(id, 6);
  const request = { agent_id, version: "current", input_payload: {} };
  const submit = async () => (await call(url, "POST", "/v1/execute", request, { prefer: "respond-async" })).body["id"];
  const runs = await Promise.all(Array.from({ length: 6 }, submit));
  const ended = "SELECT failed_attempts, lost_attempts FROM runs WHERE id = ANY($1) AND status = 'success'";
  const rows = await waitFor(async () => {
    const found = await stack.sql.query<{ failed_attempts: number; lost_attempts: number }>(ended, [runs]);
    return found.rows.length === runs.length ? found.rows : null;
  }, 30_000);
  expect(rows.every((row) => row.failed_attempts === 0 && row.lost_attempts === 0)).toBe(true);
  const moves = (await Promise.all(runs.map((run) => timelineOf(String(run))))).flat();
  expect(moves.some(({ to, reason }) => to === "queued" && reason === "not_started")).toBe(true);
}, 60_000);

test("the run of an API that died before it told the worker is found by the worker itself", async () => {
  const worker = await startWorker({ WORKER_SLOTS: "8" });
  const id = await idOf(worker);
  await waitFor(async () => (await creditsOf(id)) === 2);
  const agent_id = await makeAgent(url, hello);
  // As the API leaves it: a credit is taken, the run is committed, nobody was told.
  expect(await queue.credits.take([id], 2)).toBe(id);
  const runId = `run_${randomUUID()}`;
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms, input_payload,
       history, files, request_hash, expires_at, status, attempt, last_seq, worker_id, lease_until, started_at)
     SELECT $1, user_id, id, '1.0.0', 3, 'python', 'standard', 'serverless', 60000, '{}', '[]', '[]', '', 'infinity', 'running', 1, 0,
       $2, now() + interval '6 s', now() FROM agents WHERE id = $3`,
    [runId, id, agent_id],
  );
  await waitFor(async () => (await timelineOf(runId)).at(-1)?.to === "success", 20_000);
  expect((await timelineOf(runId)).every(({ attempt }) => attempt === 1)).toBe(true);
});

test("credits that vanish are given anew, and those of a worker that is gone are nobody's", async () => {
  const giver = createCreditGiver({ workerId: "w", credits: queue.credits, free: () => 4 });
  giver.offer();
  await waitFor(async () => (await creditsOf("w")) === 4);
  await stack.redis.decrby(keyOf("w"), 3);
  // Each look may meet a run that is being accepted; ten in a row don't.
  for (let look = 0; look < 10; look += 1) await giver.look();
  giver.offer();
  await waitFor(async () => (await creditsOf("w")) === 4);
  await giver.makeRoom(3);
  expect(await creditsOf("w")).toBe(1);
  expect(await queue.credits.take(["w"], 2)).toBeNull();
  expect(await stack.redis.exists(keyOf("w"))).toBe(0);
  // The giver finds that all of them are gone, and gives them anew.
  await giver.look();
  await waitFor(async () => (await creditsOf("w")) === 4);
});

test("a version keeps to two workers, the same ones for everybody, and few versions move when a worker joins", () => {
  const workers = Array.from({ length: 50 }, (_, index) => `worker_${index}`);
  const versions = Array.from({ length: 500 }, (_, index) => `agent_${index}`);
  const before = versions.map((version) => preferredWorkers(workers, version).slice(0, 2));
  expect(before.every((chosen) => new Set(chosen).size === 2)).toBe(true);
  expect(versions.map((version) => preferredWorkers(workers.toReversed(), version).slice(0, 2))).toEqual(before);
  const moved = versions.filter(
    (version, index) =>
      String(preferredWorkers([...workers, "worker_new"], version).slice(0, 2)) !== String(before[index]),
  );
  // Two of 51 for each version.
  expect(moved.length).toBeLessThan(50);
  const load = new Map<string, number>();
  for (const worker of before.flat()) load.set(worker, (load.get(worker) ?? 0) + 1);
  expect(Math.max(...load.values())).toBeLessThan(50);
});

test("a worker whose Redis is silent looks for runs that were granted to it", async () => {
  const refresh = () => Promise.reject(new Error("Command timed out"));
  const credits = { ...queue.credits, give: () => Promise.resolve(), refresh };
  const giver = createCreditGiver({ workerId: "silent", credits, free: () => 3 });
  expect(await giver.look()).toBe(false);
  await expect.poll(() => giver.look()).toBe(true);
});

/** Lets a worker look for runs that were granted to it, as it does when Redis has lost its credits. */
async function loseCredits(worker: string): Promise<void> {
  await waitFor(async () => (await stack.redis.del(keyOf(worker))) === 1, 10_000);
}

test("a run that its worker was nudged for twice is not taken for one that was granted unheard", async () => {
  const leaseMs = 3_000;
  const worker = await startWorker({ WORKER_SLOTS: "8", LEASE_MS: String(leaseMs) });
  const id = await idOf(worker);
  const agent_id = await makeAgent(
    url,
    py`
      import time, uuid
      def main(input):
          me = str(uuid.uuid4())
          yield me
          time.sleep(input['s'])
          return {'me': me}
    `,
  );
  await call(url, "POST", "/v1/admin/queues/runs/pause", {});
  // A worker remembers for up to four leases what it has left.
  const input_payload = { s: (4 * leaseMs) / 1_000 + 3 };
  const response = await execute(url, { agent_id, version: "current", input_payload });
  const runId = response.headers.get("x-run-id") ?? "";
  const watching = readEvents(response);
  await call(url, "POST", "/v1/admin/queues/runs/resume", {});
  for (let nudge = 0; nudge < 6; nudge += 1) await queue.dispatch(runId, "default");
  await waitFor(async () => (await timelineOf(runId)).at(-1)?.to === "running", 20_000);
  let isOver = false;
  void watching.then(() => (isOver = true));
  while (!isOver) await loseCredits(id);
  const events = await watching;
  const said = events.find(({ event }) => event === "output.delta")?.data["content"];
  expect(events.at(-1)?.data["result_content"]).toEqual({ me: said });
}, 60_000);

test("a daemon's message is not taken for a run that was granted unheard, neither meanwhile nor in a drain", async () => {
  const worker = await startWorker({ WORKER_SLOTS: "8", SHUTDOWN_GRACE_MS: "30000" });
  const id = await idOf(worker);
  const agent_id = await makeAgent(
    url,
    py`
      import time
      def on_message(input):
          time.sleep(input['s'])
          return input
    `,
  );
  const ask = async (s: number) =>
    (await call(url, "POST", `/v1/daemon/${agent_id}/messages?wait=0`, { payload: { s } })).body["id"] as string;
  const ended = async (runId: string) => {
    await readEvents(await resume(url, runId));
    return (await timelineOf(runId)).map(({ attempt, to }) => `${attempt} ${to}`);
  };
  const first = await ask(4);
  await daemonThat(url, agent_id, ({ in_flight }) => in_flight === 1);
  for (let loss = 0; loss < 2; loss += 1) await loseCredits(id);
  expect(await ended(first)).toEqual(["0 queued", "1 running", "1 success"]);
  const second = await ask(4);
  await daemonThat(url, agent_id, ({ in_flight }) => in_flight === 1);
  const leaving = worker.stop("SIGTERM");
  expect(await ended(second)).toEqual(["0 queued", "1 running", "1 success"]);
  await leaving;
}, 60_000);
