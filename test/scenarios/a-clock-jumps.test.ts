import { resolve } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { openReceiver } from "../harness/receiver.ts";
import { type Member, useTestStack, type Role } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

/** Those of one test. */
const members: Member[] = [];
const hourMs = 3_600_000;
const leaseMs = 3_000;
const counter = py`
  import time
  def main(input):
      for i in range(30):
          yield i
          time.sleep(0.1)
      return {}
`;
/** Its first attempt is too long to end by itself. */
const longAtFirst = py`
  import time
  def main(input, context):
      for i in range(300 if context.attempt == 1 else 5):
          yield i
          time.sleep(0.1)
      return {}
`;
const sleeper = py`
  import time
  def main(input):
      yield 'here'
      time.sleep(60)
`;
const asker = py`
  from runfleet import interrupt
  def main(input):
      interrupt('Well?', expires_in_ms=60000)
`;

const stack = await useTestStack();
const receiver = await openReceiver();
afterEach(async () => {
  await Promise.all(members.splice(0).map((member) => member.stop("SIGKILL")));
  await stack.sql.query("UPDATE jobs SET status = 'cancelled', next_tick_at = NULL");
});
afterAll(() => receiver.close());

async function startMember(role: Role, env: Record<string, string> = {}): Promise<Member> {
  const member = await stack.start(role, env);
  members.push(member);
  return member;
}
async function postgresNow(): Promise<number> {
  const { rows } = await stack.sql.query<{ now: Date }>("SELECT clock_timestamp() AS now");
  return rows[0]?.now.getTime() ?? Number.NaN;
}
const count = async (text: string, values: unknown[] = []): Promise<number> =>
  (await stack.sql.query(text, values)).rowCount ?? 0;
const hasSpoken = (runId: string) =>
  waitFor(async () => (await stack.redis.xlen(`${stack.prefix}run:${runId}`)) > 1, 30_000);
/** How far from the real time the process was that said this. */
const shiftOf = (event: SentEvent | undefined): number => Date.parse(String(event?.data["ts"])) - Date.now();

type Started = { id: string; events: Promise<SentEvent[]> };
async function start(url: string, agent_id: string, callback = false): Promise<Started> {
  const more = callback ? { completion_callback_url: `${receiver.url}/done` } : {};
  const response = await execute(url, { agent_id, version: "current", ...more });
  expect(response.status).toBe(200);
  return { id: response.headers.get("x-run-id") ?? "", events: readEvents(response) };
}

test.each([hourMs, -hourMs])(
  "the clocks of an API and of a worker jump by %i ms in mid-run: nothing is lost, early, late, doubled or wrongly billed",
  async (jumpMs) => {
    const env = {
      NODE_OPTIONS: `--import ${resolve("test/harness/preload/shift-clock.mjs")}`,
      CLOCK_JUMP_MS: String(jumpMs),
      WORKER_SLOTS: "12",
    };
    const [api, worker] = await Promise.all([startMember("api", env), startMember("worker", env)]);
    const { url } = api;
    receiver.got.splice(0);
    const limits = { timeout_ms: 4_000 };
    const agents = [counter, sleeper, asker, "def main(input): return {}"].map((source) => makeAgent(url, source));
    const [counts, sleeps, asks, quick] = (await Promise.all(agents)) as [string, string, string, string];
    const times = await makeAgent(url, sleeper, { limits });
    const schedule = (agent_id: string, each: string) =>
      call(url, "POST", "/v1/jobs", { agent_id, version: "current", schedule: each, overlap: "allow" });
    const job = String((await schedule(quick, "every 1s")).body["id"]);
    const [counted, timed, ended] = await Promise.all([
      start(url, counts, true),
      start(url, times),
      start(url, sleeps),
    ]);
    await Promise.all([counted, timed, ended].map(({ id }) => hasSpoken(id)));

    for (const { child } of [api, worker]) child.kill("SIGUSR2");

    const { secret } = (await call(url, "POST", "/v1/users/me/callback-secret", { user_id: "tester" })).body;
    const later = await start(url, quick, true);
    const asked = (await (await start(url, asks)).events).at(-1);
    const completed = await call(url, "POST", `/v1/runs/${ended.id}/complete`, {});
    const { next_tick_at } = (await schedule(quick, "0 * * * *")).body;

    // The jump has come to both.
    expect(Math.abs(shiftOf((await later.events)[0]) - jumpMs)).toBeLessThan(60_000);
    expect(Math.abs(shiftOf((await later.events).at(-1)) - jumpMs)).toBeLessThan(60_000);
    expect((await call(url, "GET", "/health")).body).toMatchObject({ status: "ok", postgres: "up" });
    expect((await later.events).at(-1)).toMatchObject({ event: "run.success" });
    expect((await counted.events).map(({ id }) => id)).toEqual([
      "0-1",
      ...Array.from({ length: 32 }, (_, i) => `1-${i + 1}`),
    ]);
    const timeout = (await timed.events).at(-1);
    expect(timeout?.event).toBe("run.timeout");
    expect(Math.abs(Number(timeout?.data["duration_ms"]) - limits.timeout_ms)).toBeLessThan(20_000);
    expect(completed.body).toMatchObject({ status: "success", duration_ms: expect.toSatisfy((ms) => ms < 30_000) });

    const now = await postgresNow();
    expect(asked?.event).toBe("run.interrupted");
    const [question] = (asked?.data["interrupts"] ?? []) as { expires_at: string }[];
    expect(Math.abs(Date.parse(question?.expires_at ?? "") - now - 60_000)).toBeLessThan(20_000);
    expect(await count("SELECT 1 FROM runs WHERE status = 'expired'")).toBe(0);
    const untilTick = Date.parse(String(next_tick_at)) - now;
    expect(untilTick).toBeLessThanOrEqual(hourMs);
    expect(untilTick).toBeGreaterThan(-20_000);

    await waitFor(() => receiver.got.length === 2);
    for (const { text, headers } of receiver.got)
      expect(new Webhook(String(secret)).verify(text, headers as Record<string, string>)).toBeDefined();

    await waitFor(async () => (await count("SELECT 1 FROM job_ticks WHERE job_id = $1", [job])) > 4);
    await call(url, "POST", `/v1/jobs/${job}/pause`);
    const ticks = await stack.sql.query<{ at: Date; run_id: string | null }>(
      "SELECT scheduled_at AS at, run_id FROM job_ticks WHERE job_id = $1 ORDER BY 1",
      [job],
    );
    const first = ticks.rows[0]?.at.getTime() ?? 0;
    expect(ticks.rows.map(({ at }) => at.getTime() - first)).toEqual(ticks.rows.map((_, i) => i * 1_000));
    expect(new Set(ticks.rows.map(({ run_id }) => run_id)).size).toBe(ticks.rows.length);

    const stillOpen = "SELECT 1 FROM runs WHERE status IN ('queued', 'running')";
    await waitFor(async () => (await count(stillOpen)) === 0);
    expect(await count("SELECT 1 FROM runs WHERE lost_attempts > 0 OR attempt > 2")).toBe(0);
    const ends = `SELECT run_id FROM run_transitions WHERE "to" IN ('success', 'error', 'timeout', 'cancelled') GROUP BY 1`;
    expect(await count(`${ends} HAVING count(*) > 1`)).toBe(0);
    const metered = await stack.sql.query(
      "SELECT count(*) = count(DISTINCT run_id) AS once, max(duration_ms) < 30000 AS sane FROM usage_records WHERE source = 'run'",
    );
    expect(metered.rows).toEqual([{ once: true, sane: true }]);
  },
  60_000,
);

/** An API, two workers, and a run of the first one's. */
async function startRun() {
  const [{ url }, holder] = await Promise.all([
    startMember("api"),
    startMember("worker", { LEASE_MS: String(leaseMs) }),
  ]);
  const run = await start(url, await makeAgent(url, longAtFirst));
  await hasSpoken(run.id);
  await startMember("worker", { LEASE_MS: String(leaseMs) });
  return { url, holder, run };
}
/** Of first attempts. */
const moveLeases = (byMs: number) =>
  stack.sql.query(
    "UPDATE runs SET lease_until = lease_until + $1 * interval '1 ms' WHERE status = 'running' AND attempt = 1",
    [byMs],
  );
const movesOf = async (id: string) =>
  (
    await stack.sql.query<{ to: string }>('SELECT "to" FROM run_transitions WHERE run_id = $1 ORDER BY seq', [id])
  ).rows.map(({ to }) => to);
const takenOver = ["queued", "running", "queued", "running", "success"];

test("Postgres' clock jumps forward, which ends all leases: a run that is held is taken over, fenced, and ends once", async () => {
  const { url, run } = await startRun();
  // Its holder may prolong it before anybody looks.
  await waitFor(async () => {
    await moveLeases(-hourMs);
    return (await movesOf(run.id)).length > 2;
  });
  const events = await run.events;
  expect(events.at(-1)).toMatchObject({ event: "run.success", id: "2-7" });
  for (const attempt of ["1", "2"]) {
    const own = events.map(({ id }) => id).filter((id) => id.startsWith(`${attempt}-`));
    expect(own).toEqual(own.map((_, i) => `${attempt}-${i + 1}`));
  }
  expect(await movesOf(run.id)).toEqual(takenOver);
  expect(await readEvents(await resume(url, run.id))).toEqual(events);
}, 60_000);

test("Postgres' clock jumps back, so that leases reach far ahead: a held run goes on, a lost one is taken over within a lease and 2 s", async () => {
  const { holder, run } = await startRun();
  await moveLeases(hourMs);
  const far = "SELECT 1 FROM runs WHERE id = $1 AND lease_until > now() + interval '30 minutes'";
  await waitFor(async () => (await count(far, [run.id])) === 0, leaseMs + 2_000);
  expect(await movesOf(run.id)).toEqual(["queued", "running"]);

  holder.child.kill("SIGSTOP");
  await moveLeases(hourMs);
  await holder.stop("SIGKILL");
  await waitFor(async () => (await movesOf(run.id)).length > 2, leaseMs + 2_000);
  expect((await run.events).at(-1)).toMatchObject({ event: "run.success", id: "2-7" });
  expect(await movesOf(run.id)).toEqual(takenOver);
}, 60_000);
