import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { type Member, useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const waits = py`
  import time
  def main(i):
      yield 'begun'
      time.sleep(i.get('s', 0))
      return 'done'
`;

const stack = await useTestStack();
const { url } = await stack.startService();
const agent = await makeAgent(url, waits);

const start = async (s: number): Promise<string> => {
  const answer = await execute(
    url,
    { agent_id: agent, version: "current", input_payload: { s } },
    { prefer: "respond-async" },
  );
  return ((await answer.json()) as { id: string }).id;
};
const runOf = async (id: string) => (await call(url, "GET", `/v1/runs/${id}`)).body;
const until = (id: string, status: string) =>
  waitFor(async () => {
    const run = await runOf(id);
    return run["status"] === status ? run : null;
  }, 30_000);
const fleet = async () => (await call(url, "GET", "/v1/admin/fleet")).body["data"] as { id: string; pid: number }[];
const idOf = async ({ child }: Member): Promise<string> =>
  waitFor(async () => (await fleet()).find(({ pid }) => pid === child.pid)?.id, 10_000);
const gone = ({ child }: Member) => waitFor(() => child.exitCode !== null || child.signalCode !== null, 30_000);
test("a paused queue takes runs in and begins none, tells them so, and goes on when it is resumed", async () => {
  expect(await call(url, "POST", "/v1/admin/queues/nothing/pause")).toMatchObject({ status: 404 });
  expect((await call(url, "POST", "/v1/admin/queues/runs/pause")).body).toMatchObject({
    paused: true,
    paused_by: "open",
  });
  const id = await start(0);
  const told = await readEvents(await resume(url, id), ({ event }) => event === "run.waiting");
  expect(told.at(-1)?.data).toMatchObject({ queue: { wait_reason: "paused" } });
  expect((await call(url, "GET", "/v1/admin/queues")).body["data"]).toMatchObject([
    { name: "runs", paused: true, waiting: 1, active: 0, oldest_ms: expect.any(Number) },
    { name: "callbacks", paused: false, waiting: 0 },
  ]);
  expect((await runOf(id))["status"]).toBe("queued");
  expect((await call(url, "POST", "/v1/admin/queues/runs/resume")).body).toMatchObject({
    paused: false,
    paused_by: null,
  });
  await until(id, "success");
}, 60_000);

test("while the callbacks are paused none is sent; then they are, and those given up are dead letters", async () => {
  await call(url, "POST", "/v1/admin/queues/callbacks/pause");
  const request = { agent_id: agent, version: "current", completion_callback_url: "http://127.0.0.1:9/hook" };
  const { id } = (await (await execute(url, request, { prefer: "wait=30" })).json()) as { id: string };
  const queues = async () => (await call(url, "GET", "/v1/admin/queues")).body["data"] as { waiting: number }[];
  expect((await queues())[1]).toMatchObject({ paused: true, waiting: 1, dead: 0 });
  expect((await runOf(id))["callback"]).toMatchObject({ status: "pending", attempts: 0 });
  await call(url, "POST", "/v1/admin/queues/callbacks/resume");
  await waitFor(async () => ((await runOf(id))["callback"] as { attempts: number }).attempts > 0, 30_000);
  await stack.sql.query("UPDATE outbox SET status = 'exhausted', tries = 10, last_error = 'refused'");
  expect((await call(url, "GET", `/v1/admin/dead-letters?run_id=${id}`)).body["data"]).toMatchObject([
    { run_id: id, type: "run.success", url_host: "127.0.0.1:9", tries: 10, last_error: "refused" },
  ]);
  expect((await call(url, "GET", "/v1/admin/dead-letters?user_id=nobody")).body["data"]).toEqual([]);
}, 60_000);

test("a killed run is over at once, for whoever reads it; its worker stops it; a second time changes nothing", async () => {
  const id = await start(60);
  await until(id, "running");
  const killed = await call(url, "POST", `/v1/admin/runs/${id}/kill`, { reason: "runaway" });
  expect(killed).toMatchObject({
    status: 200,
    body: { status: "cancelled", error: { code: "killed", message: "runaway" } },
  });
  const events = await readEvents(await resume(url, id));
  expect(events.at(-1)?.event).toBe("run.cancelled");
  await waitFor(
    async () => ((await call(url, "GET", "/v1/admin/overview")).body["workers"] as { busy: number }).busy === 0,
    30_000,
  );
  expect((await call(url, "POST", `/v1/admin/runs/${id}/kill`)).body).toMatchObject({ error: { message: "runaway" } });
  expect(await call(url, "POST", "/v1/admin/runs/nothing/kill")).toMatchObject({ status: 404 });
}, 60_000);

test("a drained worker ends its runs, takes no more, and goes; who asks sees it on the fleet until then", async () => {
  const leaving = await stack.start("worker");
  const worker = await idOf(leaving);
  const mine = await waitFor(async () => {
    const id = await start(6);
    const run = await until(id, "running");
    return run["worker_id"] === worker ? id : null;
  }, 60_000);
  expect((await call(url, "POST", `/v1/admin/workers/${worker}/drain`)).body).toEqual({
    id: worker,
    dismissal: "drain",
  });
  await waitFor(
    async () => (await fleet()).some((each) => each.id === worker && "status" in each && each.status === "draining"),
    10_000,
  );
  const later = await until(await start(0), "success");
  expect(later["worker_id"]).not.toBe(worker);
  expect(await until(mine, "success")).toMatchObject({ attempt: 1, worker_id: worker });
  await gone(leaving);
  expect(leaving.child.exitCode).toBe(0);
  expect(await fleet()).not.toContainEqual(expect.objectContaining({ id: worker }));
  expect(await call(url, "POST", `/v1/admin/workers/${worker}/drain`)).toMatchObject({ status: 404 });
}, 120_000);

test("a killed worker hands its runs back, and they end elsewhere without a charge", async () => {
  const leaving = await stack.start("worker");
  const worker = await idOf(leaving);
  const mine = await waitFor(async () => {
    const id = await start(4);
    const run = await until(id, "running");
    return run["worker_id"] === worker ? id : null;
  }, 60_000);
  expect((await call(url, "POST", `/v1/admin/workers/${worker}/kill`)).body).toEqual({ id: worker, dismissal: "kill" });
  expect((await call(url, "POST", `/v1/admin/workers/${worker}/drain`)).body).toMatchObject({ dismissal: "kill" });
  await gone(leaving);
  expect(leaving.child.exitCode).toBe(0);
  const ended = await until(mine, "success");
  expect(ended["worker_id"]).not.toBe(worker);
  const { rows } = await stack.sql.query("SELECT lost_attempts FROM runs WHERE id = $1", [mine]);
  expect(rows).toEqual([{ lost_attempts: 0 }]);
}, 120_000);

test("overview, costs and the lists of everybody's things add up", async () => {
  const overview = (await call(url, "GET", "/v1/admin/overview")).body;
  const { rows } = await stack.sql.query<{ n: number }>(
    "SELECT count(*)::int AS n FROM runs WHERE completed_at IS NOT NULL",
  );
  expect(overview).toMatchObject({ agents: 1, last_day: { runs: rows[0]?.n }, runs: { queued: 0, running: 0 } });
  for (const by of ["user", "agent"]) {
    const { total, data } = (await call(url, "GET", `/v1/admin/costs?by=${by}`)).body as {
      total: { runs: number };
      data: { id: string; runs: number }[];
    };
    expect(total.runs).toBe(rows[0]?.n);
    expect(data.reduce((sum, { runs }) => sum + runs, 0)).toBe(total.runs);
  }
  expect((await call(url, "GET", "/v1/admin/agents")).body["data"]).toMatchObject([
    { agent_id: agent, runs: rows[0]?.n },
  ]);
  expect((await call(url, "GET", "/v1/admin/runs?limit=100")).body["data"]).toHaveLength(rows[0]?.n ?? -1);
  expect((await call(url, "GET", "/v1/admin/users")).body["data"]).toMatchObject([
    { id: "tester", figures: expect.anything() },
  ]);
  expect((await call(url, "GET", "/v1/admin/daemons")).body["data"]).toEqual([]);
  const { data } = (await call(url, "GET", "/v1/admin/audit?action=kill_run")).body as { data: unknown[] };
  expect(data.length).toBeGreaterThan(0);
});

test("how busy the fleet was is written down each minute, and told in steps with the most of each", async () => {
  // A worker may be at it just then.
  const sample = () =>
    waitFor(async () => (await call(url, "POST", "/v1/internal/jobs/sample-fleet")).status === 200, 30_000);
  await sample();
  const history = async (query: string) => (await call(url, "GET", `/v1/admin/history?${query}`)).body;
  const { data: written } = (await history("")) as { data: unknown[] };
  const figures = { slots: expect.any(Number), busy: expect.any(Number), queued: expect.any(Number) };
  expect(written.at(-1)).toMatchObject(figures);
  const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const rangeOf = (day: string): string => `since=${day}T00:00:00Z&until=${day}T04:00:00Z`;
  const [lately, longAgo] = [daysAgo(5), daysAgo(16)];
  for (const day of [lately, longAgo])
    await stack.sql.query(
      `INSERT INTO fleet_samples (at, pool, slots, busy, queued, oldest_ms)
       SELECT $1::timestamptz + i * interval '1 min', pool, 4, i % 4, i, i * 10
       FROM generate_series(0, 239) AS i, unnest(ARRAY['a', 'b']) AS pool`,
      [`${day}T00:00:00Z`],
    );
  const range = rangeOf(lately);
  const both = (await history(range)) as { step_ms: number; data: { at: string; slots: number }[] };
  expect([both.step_ms, both.data.length]).toEqual([120_000, 120]);
  expect(both.data[1]).toEqual({ at: `${lately}T00:02:00.000Z`, slots: 8, busy: 6, queued: 6, oldest_ms: 30 });
  expect((await history(`${range}&pool=b`))["data"]).toContainEqual({ ...both.data[1], slots: 4, busy: 3, queued: 3 });
  expect((await history(`since=${lately}T00:00:00Z&until=${lately}T00:05:00Z`))["step_ms"]).toBe(60_000);
  await sample();
  expect((await history(rangeOf(longAgo)))["data"]).toEqual([]);
  expect((await history(range))["data"]).toHaveLength(120);
});

test("who moved production is in the audit log, with what they did; what only looks or previews is not", async () => {
  const source = "def on_message(input): return input\n";
  const agent_id = await makeAgent(url, source);
  const post = (path: string, body: object) => call(url, "POST", path, { agent_id, ...body });
  await post("/v1/upgrade", { version: "1.1.0" });
  await post("/v1/rollback", {});
  await call(url, "PUT", `/v1/versions/${agent_id}/tags/prod`, { version: "1.1.0" });
  await call(url, "PUT", `/v1/agents/${agent_id}/secrets/TOKEN`, { value: "never-told" });
  await post("/v1/daemons", {});
  for (const action of ["status", "pause", "resume"]) await post(`/v1/daemon/${agent_id}/control`, { action });
  const daemon = (act: string, body: object) => call(url, "POST", `/v1/daemon/${agent_id}/${act}`, body);
  const { body: message } = await daemon("messages", { payload: {} });
  await daemon("stop", {});
  await daemon("start", {});
  await post(`/v1/daemon/${agent_id}/control`, { action: "kill" });
  await post("/v1/runs/bulk/cancel", { filter: { agent_id }, preview: true });
  const { body } = await call(url, "GET", `/v1/admin/audit?target_type=agent&target_id=${agent_id}&order=asc`);
  const moved = { created: true, changed: true, previous_version: "1.0.0", version: "1.1.0" };
  const acts = body["data"] as { action: string; actor: string; detail: object }[];
  expect(acts.map(({ action, actor, detail }) => [action, actor, detail])).toEqual([
    ["create_agent", "open", { version: "1.0.0" }],
    ["upgrade_agent", "open", moved],
    ["rollback_agent", "open", { created: false, changed: true, previous_version: "1.1.0", version: "1.0.0" }],
    ["put_tag", "open", { tag: "prod", version: "1.1.0" }],
    ["put_agent_secret", "open", { name: "TOKEN" }],
    ["create_daemon", "open", { version: "1.0.0" }],
    ["control_daemon", "open", { action: "pause" }],
    ["control_daemon", "open", { action: "resume" }],
    ["post_daemon_message", "open", { run_id: message["id"] }],
    ["stop_daemon", "open", { changed: true }],
    ["start_daemon", "open", { changed: true, version: "1.0.0" }],
    ["control_daemon", "open", { action: "kill" }],
  ]);
  expect((await call(url, "GET", "/v1/admin/audit?action=bulk_cancel_runs")).body["data"]).toEqual([]);
  await call(url, "POST", "/v1/runs/" + String(message["id"]) + "/cancel");
  await call(url, "DELETE", `/v1/agents/${agent_id}`);
});

test("a cancelled run's timeline names who asked for it, whether a worker had it or not", async () => {
  const running = await start(30);
  await until(running, "running");
  await call(url, "POST", `/v1/runs/${running}/cancel`);
  await until(running, "cancelled");
  await call(url, "POST", "/v1/admin/queues/runs/pause");
  const queued = await start(0);
  await call(url, "POST", `/v1/runs/${queued}/cancel`);
  await call(url, "POST", "/v1/admin/queues/runs/resume");
  for (const [id, actor] of [
    [running, "worker"],
    [queued, "client"],
  ]) {
    const moves = (await call(url, "GET", `/v1/runs/${id}/timeline`)).body["data"] as object[];
    expect(moves.at(-1)).toMatchObject({ to: "cancelled", actor, actor_id: "open" });
  }
});
