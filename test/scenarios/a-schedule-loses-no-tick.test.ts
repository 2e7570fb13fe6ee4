import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../shared/platform/config/load-config.ts";
import { createJsonSchemas, type JsonSchemas } from "../../shared/platform/json-schema/json-schemas.ts";
import { closeInReverse, noteIn } from "../../shared/platform/lifecycle/close-in-reverse.ts";
import { createLog } from "../../shared/platform/log.ts";
import { openRunQueue } from "../../shared/platform/queue/run-queue.ts";
import { openTickQueue } from "../../shared/platform/queue/tick-queue.ts";
import { openRunStreams } from "../../shared/platform/stream/run-streams.ts";
import { createQueueLimiter } from "../../shared/services/runs/check-queue-limits.ts";
import { openDb } from "../../shared/store/client.ts";
import { fireDueJobs } from "../../worker/fleet/schedules/fire-due-jobs.ts";
import { createUncheckedJobs } from "../../worker/fleet/schedules/unchecked-jobs.ts";
import { call, makeAgent } from "../harness/client.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.openApi();
const agent = await makeAgent(url, "def main(input): return {}");

type Tick = { scheduled_at: Date; outcome: string; run_id: string | null };

async function makeJob(more: object): Promise<string> {
  const { status, body } = await call(url, "POST", "/v1/jobs", { agent_id: agent, version: "current", ...more });
  expect([status, body["detail"]]).toEqual([201, undefined]);
  return String(body["id"]);
}
async function ticksOf(id: string): Promise<Tick[]> {
  const { rows } = await stack.sql.query<Tick>("SELECT * FROM job_ticks WHERE job_id = $1 ORDER BY scheduled_at", [id]);
  return rows;
}
async function pause(id: string): Promise<void> {
  expect((await call(url, "POST", `/v1/jobs/${id}/pause`)).body).toMatchObject({ status: "paused" });
}
const runsOf = async (id: string) =>
  (await stack.sql.query<{ id: string }>("SELECT id FROM runs WHERE job_id = $1", [id])).rows
    .map((row) => row.id)
    .toSorted();

/** Each second has its tick, and each tick that fired has its one run. */
async function expectWhole(id: string, from: Date): Promise<number> {
  const ticks = await ticksOf(id);
  const seconds = ticks.map(({ scheduled_at }) => (scheduled_at.getTime() - from.getTime()) / 1_000);
  expect(seconds).toEqual(seconds.map((_, i) => i));
  expect(ticks.map(({ run_id }) => run_id).toSorted()).toEqual(await runsOf(id));
  return ticks.length;
}

/** Stops workers from firing a job for `minutes`: its next tick is as old as that. */
const sleepThrough = (id: string, minutes: number) =>
  stack.sql.query("UPDATE jobs SET next_tick_at = next_tick_at - $2 * interval '1 minute' WHERE id = $1", [
    id,
    minutes,
  ]);
const hasFired = (id: string) =>
  waitFor(
    async () => (await stack.sql.query("SELECT 1 FROM jobs WHERE id = $1 AND next_tick_at > now()", [id])).rowCount,
  );

test("racing workers, one of which dies every second, fire each second of 20 jobs exactly once, without Redis' memory too", async () => {
  // Nobody offers this adapter here, so that the runs wait and only the ticks are at work.
  const request = { schedule: "every 1s", overlap: "allow", adapter_type: "container" };
  const workers = await Promise.all([0, 1, 2].map(() => stack.start("worker")));
  const jobs = await Promise.all(Array.from({ length: 20 }, () => makeJob(request)));
  const first = new Map<string, Date>();
  for (const id of jobs) {
    const found = await waitFor(async () => (await ticksOf(id))[0]);
    first.set(id, found.scheduled_at);
  }
  for (let i = 0; i < 3; i++) {
    await sleep(700);
    await workers.shift()?.stop("SIGKILL");
    if (i === 1)
      await Promise.all((await stack.redis.keys(`${stack.prefix}bull:ticks:*`)).map((key) => stack.redis.del(key)));
    workers.push(await stack.start("worker"));
  }
  await sleep(1_500);
  await Promise.all(jobs.map(pause));
  const counts = await Promise.all(jobs.map((id) => expectWhole(id, first.get(id) ?? new Date(0))));
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(5);
  await stack.sql.query("DELETE FROM runs WHERE status = 'queued'");
  await Promise.all(workers.map((worker) => worker.stop("SIGKILL")));
}, 240_000);

test("ticks that came while all workers were dead fire when one is back, if that is within a minute", async () => {
  const worker = await stack.start("worker");
  const id = await makeJob({ schedule: "every 1s", overlap: "allow" });
  const from = (await waitFor(async () => (await ticksOf(id))[0])).scheduled_at;
  await worker.stop("SIGKILL");
  const before = (await ticksOf(id)).length;
  await sleep(4_000);
  expect(await ticksOf(id)).toHaveLength(before);
  const other = await stack.start("worker");
  await waitFor(async () => (await ticksOf(id)).length > before + 4);
  await pause(id);
  await expectWhole(id, from);
  await waitFor(async () => {
    const { rows } = await stack.sql.query("SELECT 1 FROM runs WHERE job_id = $1 AND status <> 'success'", [id]);
    return rows.length === 0;
  }, 20_000);
  await other.stop();
}, 60_000);

test("after a longer downtime what was due is noted as missed; catch_up: last fires the last of it, once", async () => {
  // Twenty minutes ahead, so that nothing is due by itself while the test goes on.
  const minute = (new Date().getUTCMinutes() + 20) % 60;
  const schedule = `${minute} * * * *`;
  const [none, last] = [await makeJob({ schedule }), await makeJob({ schedule, catch_up: "last" })];
  const once = await makeJob({ schedule: new Date(Date.now() + 60_000).toISOString(), catch_up: "last" });
  for (const id of [none, last]) await sleepThrough(id, 240);
  await stack.sql.query(
    "UPDATE jobs SET schedule = '2026-01-01T00:00:00Z', next_tick_at = '2026-01-01' WHERE id = $1",
    [once],
  );
  const workers = await Promise.all([stack.start("worker"), stack.start("worker")]);
  for (const id of [none, last]) await hasFired(id);
  expect((await ticksOf(none)).map(({ outcome }) => outcome)).toEqual(["missed", "missed", "missed", "missed"]);
  expect(await runsOf(none)).toEqual([]);
  expect((await ticksOf(last)).map(({ outcome }) => outcome)).toEqual(["missed", "missed", "missed", "fired"]);
  expect(await runsOf(last)).toHaveLength(1);
  await waitFor(async () => (await ticksOf(once)).length);
  expect((await ticksOf(once)).map(({ outcome }) => outcome)).toEqual(["fired"]);
  expect((await call(url, "GET", `/v1/jobs/${once}`)).body).toMatchObject({ status: "completed" });
  await Promise.all(workers.map((worker) => worker.stop()));
}, 60_000);

const opened: (() => Promise<void>)[] = [];
afterAll(() => closeInReverse(opened));

/** Looks once for due jobs, as a worker does whose threads for schemas are these. */
function lookWith(jsonSchemas: JsonSchemas, unchecked = createUncheckedJobs()): Promise<void> {
  const opens = noteIn(opened);
  const config = loadConfig(stack.env);
  const { url: redisUrl, prefix } = config.redis;
  const none = () => undefined;
  const db = opens(openDb(stack.databaseUrl, 2, none));
  const room = createQueueLimiter(db, config.queue);
  const queues = {
    streams: opens(openRunStreams(redisUrl, prefix, none)),
    queue: opens(openRunQueue(redisUrl, prefix, none)),
    ticks: opens(openTickQueue(redisUrl, prefix, none)),
  };
  const log = createLog("worker", "silent");
  return fireDueJobs({ config, db, log, room, jsonSchemas, unchecked, ...queues }, new AbortController().signal);
}

test("a tick for the check of whose input there is no time stays due, and is skipped when there is none for the third time", async () => {
  const input_schema = { properties: { text: { pattern: "^(a+)+$" } } };
  const agent_id = await makeAgent(url, "def main(input): return {}", { input_schema });
  const job = { agent_id, input_payload: { text: "aa" } };
  const [late, id] = [await makeJob(job), await makeJob(job)];
  const [crowded, idle] = [createJsonSchemas(), createJsonSchemas()];
  // Each of these takes until its deadline; the third makes all others of this owner wait for a minute.
  const bait = { text: `${"a".repeat(60)}b` };
  const crowd = Array.from({ length: 65 }, () => crowded.faultsOf("tester", input_schema, bait));
  const unchecked = createUncheckedJobs();
  const twentySecondsAgo = performance.now() - 20_000;
  for (const ago of [20_000, 0]) expect(unchecked.rest(late, twentySecondsAgo - ago)).toBe(true);
  await lookWith(crowded, unchecked);
  // Both rest now, or are over.
  expect(unchecked.resting(performance.now())).toEqual([id]);
  await lookWith(idle, unchecked);
  expect(await ticksOf(id)).toEqual([]);
  expect(await ticksOf(late)).toMatchObject([{ outcome: "skipped", reason: "input_unchecked", run_id: null }]);
  await lookWith(idle);
  expect(await ticksOf(id)).toMatchObject([{ outcome: "fired" }]);
  expect(await runsOf(id)).toHaveLength(1);
  await Promise.all(crowd);
  await Promise.all([crowded.close(), idle.close()]);
});
