import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { quickest } from "../../harness/quickest.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const agent = await makeAgent(
  url,
  py`
    import os
    def main(input): return {'heard': input, 'token': os.environ.get('TOKEN')}
  `,
);

const sleeper = py`
  import time
  def main(input): time.sleep(60)
`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
type Item = Record<string, unknown>;

const create = (more: Item = {}) => call(url, "POST", "/v1/jobs", { agent_id: agent, version: "current", ...more });
const idOf = async (more: Item) => {
  const { status, body } = await create(more);
  expect([status, body["detail"]]).toEqual([201, undefined]);
  return String(body["id"]);
};
const get = async (path: string) => (await call(url, "GET", `/v1/jobs${path}`)).body;
const list = async (path: string) => (await get(path))["data"] as Item[];
const command = (id: string, word: string) => call(url, "POST", `/v1/jobs/${id}/${word}`);
/** The runs of a job, once there are as many, oldest first. */
const runsOf = (id: string, count: number) =>
  waitFor(async () => {
    const runs = await list(`/${id}/runs?order=asc`);
    return runs.length >= count ? runs : null;
  });
const ended = (id: string) =>
  waitFor(async () => {
    const run = (await call(url, "GET", `/v1/runs/${id}`)).body;
    return run["completed_at"] === null ? null : run;
  });

test("a job without a schedule runs once, now, with what it was given, and is completed", async () => {
  const made = await create({ input_payload: { n: 1 }, env_vars: { TOKEN: "hush" }, metadata: { for: "me" } });
  expect(made).toMatchObject({ status: 201, body: { object: "job", user_id: "tester", env_names: ["TOKEN"] } });
  expect(made.headers.get("location")).toBe(`/v1/jobs/${String(made.body["id"])}`);
  expect(JSON.stringify(made.body)).not.toContain("hush");
  const id = String(made.body["id"]);
  const [first] = await runsOf(id, 1);
  const run = await ended(String(first?.["id"]));
  expect(run).toMatchObject({
    status: "success",
    origin: "job",
    job_id: id,
    result_content: { heard: { n: 1 }, token: "hush" },
    metadata: { for: "me" },
  });
  expect(await get(`/${id}`)).toMatchObject({
    status: "completed",
    next_tick_at: null,
    last_tick: { outcome: "fired", manual: false, run_id: run["id"] },
  });
  expect((await call(url, "GET", `/v1/runs?job_id=${id}`)).body["data"]).toMatchObject([{ id: run["id"] }]);
});

test("a job of a time fires at that time, to the second", async () => {
  const timeAfter = async (): Promise<number> => {
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 1_000);
    const id = await idOf({ schedule: at.toISOString() });
    expect(await get(`/${id}`)).toMatchObject({ status: "active", next_tick_at: at.toISOString(), last_tick: null });
    const [run] = await runsOf(id, 1);
    expect(run).toMatchObject({ metadata: { scheduled_at: at.toISOString() } });
    return Date.parse(String(run?.["created_at"])) - at.getTime();
  };
  const late = await quickest(2_000, timeAfter);
  expect(late).toBeGreaterThanOrEqual(0);
  expect(late).toBeLessThan(2_000);
});

test("a cron expression means its zone's clocks, in summer and in winter", async () => {
  const { body } = await create({ schedule: "30 9 * * *", timezone: "America/New_York" });
  const next = new Date(String(body["next_tick_at"]));
  const shown = new Intl.DateTimeFormat("en-GB", { timeZone: "America/New_York", timeStyle: "short" }).format(next);
  expect([shown, next > new Date()]).toEqual(["09:30", true]);
  const utc = await call(url, "PATCH", `/v1/jobs/${String(body["id"])}`, { timezone: null });
  expect(utc.body["next_tick_at"]).toMatch(/T09:30:00.000Z$/);
});

test.each([
  [{ schedule: "often" }, "schedule"],
  [{ schedule: "60 * * * *" }, "schedule"],
  [{ schedule: "every 0s" }, "schedule"],
  [{ schedule: "2020-01-01T00:00:00Z" }, "schedule"],
  [{ schedule: "0 0 1 1 *", ends_at: "2020-01-01T00:00:00Z" }, "ends_at"],
  [{ schedule: "@daily", timezone: "Mars/Base" }, "timezone"],
  [{ overlap: "maybe" }, "overlap"],
  [{ catch_up: "all" }, "catch_up"],
  [{ env_vars: { PATH: "/" } }, "env_vars"],
  [{ completion_callback_url: "http://10.0.0.1/" }, "completion_callback_url"],
])("%j is refused, with its place", async (more, place) => {
  const { status, body } = await create(more);
  expect([status, (body["detail"] as { loc: string[] }[])[0]?.loc.slice(0, 2)]).toEqual([422, ["body", place]]);
});

test("what could not run is refused when the job is made", async () => {
  expect((await create({ agent_id: "nobody" })).body["code"]).toBe("agent_not_found");
  expect((await create({ version: "9.9.9" })).body["code"]).toBe("version_not_found");
  const input_schema = { type: "object", required: ["n"] };
  const strict = await makeAgent(url, "def main(input): return {}", { input_schema });
  expect(await create({ agent_id: strict })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "input_payload", "n"] }] },
  });
});

test("jobs are listed by page, newest first, and by what they are searched for", async () => {
  const lister = await makeAgent(url, "def main(input): return {}");
  const ids: string[] = [];
  for (const name of ["one", "two", "three"]) ids.unshift(await idOf({ agent_id: lister, name, schedule: inAnHour() }));
  const first = await get(`?agent_id=${lister}&limit=2`);
  expect((first["data"] as Item[]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first["has_more"]).toBe(true);
  const rest = await list(`?agent_id=${lister}&after=${String(first["last_id"])}`);
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(2));
  expect(await list(`?agent_id=${lister}&search=thr`)).toMatchObject([{ name: "three" }]);
  expect(await list(`?agent_id=${lister}&status=paused`)).toEqual([]);
});

test("a patch changes what it names, merges secrets by name, and counts another schedule from now on", async () => {
  const job = { schedule: inAnHour(), env_vars: { A: "1", B: "2" }, input_payload: { x: 1, y: { z: 1 } }, name: "old" };
  const id = await idOf(job);
  const patch = { env_vars: { B: null, TOKEN: "new" }, input_payload: { y: { z: null, w: 2 } }, name: null };
  const changed = await call(url, "PATCH", `/v1/jobs/${id}`, patch);
  expect(changed.body).toMatchObject({
    env_names: ["A", "TOKEN"],
    input_payload: { x: 1, y: { w: 2 } },
    name: null,
    schedule: job.schedule,
    next_tick_at: job.schedule,
  });
  expect((await call(url, "PATCH", `/v1/jobs/${id}`, { version: "9.9.9" })).status).toBe(404);
  const bad = await call(url, "PATCH", `/v1/jobs/${id}`, { ends_at: "soon" });
  expect(bad).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "ends_at"] }] } });
  const now = await call(url, "PATCH", `/v1/jobs/${id}`, { schedule: null });
  expect(now.status).toBe(200);
  const [run] = await runsOf(id, 1);
  expect((await ended(String(run?.["id"])))["result_content"]).toMatchObject({ token: "new" });
  await waitFor(async () => (await get(`/${id}`))["status"] === "completed");
  expect((await call(url, "PATCH", `/v1/jobs/${id}`, { name: "x" })).body["code"]).toBe("job_ended");
});

test("a paused job doesn't fire; resumed, it goes on with its next tick and makes up for nothing", async () => {
  const id = await idOf({ schedule: "every 1s", overlap: "allow" });
  await runsOf(id, 1);
  expect((await command(id, "pause")).body).toMatchObject({ status: "paused", next_tick_at: null });
  expect((await command(id, "pause")).status).toBe(200);
  const before = await list(`/${id}/ticks`);
  await sleep(2_500);
  expect(await list(`/${id}/ticks`)).toEqual(before);
  const resumedAt = Date.now();
  expect((await command(id, "resume")).body).toMatchObject({ status: "active" });
  await runsOf(id, before.length + 2);
  const after = (await list(`/${id}/ticks?order=asc`)).slice(before.length);
  for (const { scheduled_at } of after) expect(Date.parse(String(scheduled_at))).toBeGreaterThan(resumedAt);
  await command(id, "cancel");
  for (const word of ["pause", "resume", "trigger"])
    expect(await command(id, word)).toMatchObject({ status: 409, body: { code: "job_ended" } });
});

test("a one-off whose time passes while it is paused is completed by the resume", async () => {
  const id = await idOf({ schedule: new Date(Date.now() + 700).toISOString() });
  await command(id, "pause");
  await waitFor(
    async () => (await command(id, "resume")).body["status"] === "completed" || command(id, "pause").then(() => false),
  );
  expect(await list(`/${id}/ticks`)).toEqual([]);
});

test("a job is triggered by hand besides its schedule, even while it is paused; a repeated request triggers once", async () => {
  const schedule = inAnHour();
  const id = await idOf({ schedule, overlap: "allow" });
  const headers = { "idempotency-key": "once" };
  const first = await call(url, "POST", `/v1/jobs/${id}/trigger`, undefined, headers);
  expect(first).toMatchObject({ status: 202, body: { job_id: id, origin: "job" } });
  const again = await call(url, "POST", `/v1/jobs/${id}/trigger`, undefined, headers);
  expect(again.body["id"]).toBe(first.body["id"]);
  expect((await ended(String(first.body["id"])))["status"]).toBe("success");
  expect(await get(`/${id}`)).toMatchObject({ status: "active", next_tick_at: schedule });
  await command(id, "pause");
  expect((await command(id, "trigger")).status).toBe(202);
  expect(await list(`/${id}/ticks`)).toMatchObject([{ manual: true }, { manual: true }]);
});

test("overlap: skip makes no run beside one that goes on, allow makes it, cancel_previous ends the one before", async () => {
  const slow = await makeAgent(url, sleeper);
  const start = async (overlap: string) => idOf({ agent_id: slow, schedule: inAnHour(), overlap });
  const [skip, allow, previous] = [await start("skip"), await start("allow"), await start("cancel_previous")];
  for (const id of [skip, allow, previous]) expect((await command(id, "trigger")).status).toBe(202);
  expect(await command(skip, "trigger")).toMatchObject({ status: 409, body: { code: "still_running" } });
  expect(await list(`/${skip}/ticks`)).toHaveLength(1);
  expect((await command(allow, "trigger")).status).toBe(202);
  const [first] = await runsOf(previous, 1);
  expect((await command(previous, "trigger")).status).toBe(202);
  expect((await ended(String(first?.["id"])))["status"]).toBe("cancelled");
  for (const [id, open] of [
    [skip, 1],
    [allow, 2],
    [previous, 1],
  ] as const)
    expect((await list(`/${id}/runs`)).filter((run) => run["completed_at"] === null)).toHaveLength(open);
  // A job's end is the end of its runs.
  for (const id of [skip, allow, previous]) {
    expect((await command(id, "cancel")).body).toMatchObject({ status: "cancelled", next_tick_at: null });
    for (const run of await list(`/${id}/runs`)) expect((await ended(String(run["id"])))["status"]).toBe("cancelled");
  }
});

test("a tick that can make no run is noted with the reason, and the next one comes", async () => {
  const paused = await makeAgent(url, "def main(input): return {}");
  const id = await idOf({ agent_id: paused, schedule: "every 1s" });
  await call(url, "POST", `/v1/agents/${paused}/pause`);
  // A tick before the pause may have fired, and the next one been skipped for its run.
  const noted = await waitFor(async () =>
    (await list(`/${id}/ticks`)).find(({ reason }) => reason === "agent_not_active"),
  );
  expect(noted).toMatchObject({ outcome: "skipped", run_id: null });
  const count = (await list(`/${id}/runs`)).length;
  await call(url, "POST", `/v1/agents/${paused}/resume`);
  await runsOf(id, count + 1);
  await command(id, "cancel");
});

test("a job's ticks are held to its owner's plan, like his requests", async () => {
  const { body } = await call(url, "POST", "/v1/agents", { user_id: "poor", name: "a", config: { source: "" } });
  const id = await idOf({ agent_id: body["id"], schedule: "every 1s" });
  await call(url, "PUT", "/v1/billing/plans/none", { name: "none", weekly_runs: 0 });
  await call(url, "POST", "/v1/billing/subscriptions", { user_id: "poor", plan_id: "none" });
  expect(await command(id, "trigger")).toMatchObject({ status: 402, body: { code: "weekly_runs_reached" } });
  const noted = await waitFor(async () =>
    (await list(`/${id}/ticks`)).find(({ reason }) => reason === "weekly_runs_reached"),
  );
  expect(noted["outcome"]).toBe("skipped");
  await command(id, "cancel");
});

test("a job ends with its time, and after its last tick is completed", async () => {
  const ends_at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 2_000).toISOString();
  const id = await idOf({ schedule: "every 1s", overlap: "allow", ends_at });
  await waitFor(async () => (await get(`/${id}`))["status"] === "completed");
  expect((await list(`/${id}/ticks`)).at(0)).toMatchObject({ scheduled_at: ends_at, outcome: "fired" });
});

test("a job's ticks are paged; a deleted job is gone with them, its runs stay", async () => {
  const id = await idOf({ schedule: inAnHour(), overlap: "allow" });
  for (let i = 0; i < 5; i++) await command(id, "trigger");
  const all = (await list(`/${id}/ticks`)).map((tick) => tick["id"]);
  expect(new Set(all).size).toBe(5);
  const first = await get(`/${id}/ticks?limit=3`);
  const rest = await list(`/${id}/ticks?after=${String(first["last_id"])}`);
  expect([...(first["data"] as Item[]), ...rest].map((tick) => tick["id"])).toEqual(all);
  const [run] = await runsOf(id, 5);
  expect((await call(url, "DELETE", `/v1/jobs/${id}`)).status).toBe(204);
  for (const path of ["", "/runs", "/ticks"])
    expect((await call(url, "GET", `/v1/jobs/${id}${path}`)).status).toBe(404);
  expect((await call(url, "DELETE", `/v1/jobs/${id}`)).status).toBe(404);
  expect((await ended(String(run?.["id"])))["status"]).toBe("success");
});

test("a job's runs on a thread carry its state from tick to tick", async () => {
  const counter = py`
    import runfleet
    def main(input):
        count = int(runfleet.context.state_snapshot or "0") + 1
        runfleet.save_state(str(count))
        return {"count": count}
  `;
  const id = await idOf({ agent_id: await makeAgent(url, counter), thread_id: "counted", schedule: inAnHour() });
  for (const count of [1, 2]) {
    const run = (await command(id, "trigger")).body;
    expect(await ended(String(run["id"]))).toMatchObject({ thread_id: "counted", result_content: { count } });
  }
});

test("a backfill fires the ticks of a past time once each, also those that were missed or skipped", async () => {
  const id = await idOf({ schedule: "0 * * * *", overlap: "skip", jitter_ms: 60_000 });
  const from = "2026-11-20T00:00:00.000Z";
  await stack.sql.query("INSERT INTO job_ticks (job_id, scheduled_at, outcome) VALUES ($1, $2, 'missed')", [id, from]);
  const backfill = (to: string, start = from) => call(url, "POST", `/v1/jobs/${id}/backfill`, { from: start, to });
  const first = await backfill("2026-11-20T02:30:00Z");
  const hours = ["00", "01", "02", "03"].map((hour) => `2026-11-20T${hour}:00:00.000Z`);
  expect(first).toMatchObject({ status: 202, body: { fired: 3, skipped: 0, already_fired: 0 } });
  const ticks = first.body["data"] as Item[];
  expect(ticks.map(({ scheduled_at, outcome }) => [scheduled_at, outcome])).toEqual(
    hours.slice(0, 3).map((hour) => [hour, "fired"]),
  );
  expect((await ended(String(ticks[0]?.["run_id"])))["metadata"]).toEqual({ scheduled_at: from });
  const again = await backfill("2026-11-20T03:00:00Z");
  expect(again.body).toMatchObject({ fired: 1, already_fired: 3, data: [{ scheduled_at: hours[3] }] });
  expect(await list(`/${id}/ticks?order=asc`)).toMatchObject(hours.map((scheduled_at) => ({ scheduled_at })));
  expect((await runsOf(id, 4)).length).toBe(4);
  await Promise.all((await runsOf(id, 4)).map((run) => ended(String(run["id"]))));
});

test("a backfill fires no tick again whose row was deleted, and those from before the job at any time", async () => {
  const id = await idOf({ schedule: "0 3 * * *" });
  await stack.sql.query("UPDATE jobs SET created_at = now() - interval '60 days' WHERE id = $1", [id]);
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const backfill = (from: number, to: number) =>
    call(url, "POST", `/v1/jobs/${id}/backfill`, { from: ago(from), to: ago(to) });
  const refused = await backfill(40, 29);
  expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ["body", "from"] }] } });
  expect((await backfill(29, 28)).body).toMatchObject({ fired: 1 });
  expect((await backfill(63, 62)).body).toMatchObject({ fired: 1 });
});

test("a backfill is bounded, of the past, and of a job that isn't cancelled", async () => {
  const id = await idOf({ schedule: "every 1m" });
  const backfill = (from: string, to: string) => call(url, "POST", `/v1/jobs/${id}/backfill`, { from, to });
  const refused = async (from: string, to: string) => {
    const { status, body } = await backfill(from, to);
    return [status, (body["detail"] as Item[])[0]?.["loc"]];
  };
  const place = [422, ["body", "to"]];
  expect(await refused("2026-11-20T00:00:00Z", "2026-11-20T01:40:00Z")).toEqual(place);
  expect(await refused("2026-11-20T00:00:00Z", "2026-11-19T00:00:00Z")).toEqual(place);
  expect(await refused("2026-11-20T00:00:00Z", inAnHour())).toEqual(place);
  await command(id, "cancel");
  expect(await backfill("2026-11-20T00:00:00Z", "2026-11-20T00:01:00Z")).toMatchObject({
    status: 409,
    body: { code: "job_ended" },
  });
  const single = await idOf({ schedule: inAnHour() });
  const none = await call(url, "POST", `/v1/jobs/${single}/backfill`, { from: "2020-01-01", to: "2020-01-02" });
  expect(none.body).toMatchObject({ fired: 0, data: [] });
});

test("a preview shows a job's next ticks by its zone's clocks, and none that it won't have", async () => {
  const preview = async (more: Item, count = 3) => list(`/${await idOf(more)}/preview?count=${count}`);
  const [first, second, third] = await preview({ schedule: "every 10m" });
  const ms = [first, second, third].map((tick) => Date.parse(String(tick?.["scheduled_at"])));
  expect(ms.map((at) => at - Number(ms[0]))).toEqual([0, 600_000, 1_200_000]);
  expect(first?.["run_at"]).toBe(first?.["scheduled_at"]);
  expect(await preview({ schedule: "0 0 29 2 *" }, 2)).toMatchObject([
    { scheduled_at: "2028-02-29T00:00:00.000Z" },
    { scheduled_at: "2032-02-29T00:00:00.000Z" },
  ]);
  const at = inAnHour();
  expect(await preview({ schedule: at })).toMatchObject([{ scheduled_at: at }]);
  expect((await preview({ schedule: "0 0 29 2 MON#5", timezone: "Europe/Berlin" }, 100)).length).toBe(100);
});

test("with jitter each run of the schedule starts at its own moment after its tick, as the preview says", async () => {
  const id = await idOf({ schedule: "every 1s", jitter_ms: 3_600_000, overlap: "allow" });
  const shown = await list(`/${id}/preview?count=5`);
  const runs = await runsOf(id, 2);
  await command(id, "cancel");
  const expected = new Map(shown.map(({ scheduled_at, run_at }) => [scheduled_at, run_at]));
  for (const { status, scheduled_at, metadata } of runs.slice(0, 2))
    expect([status, scheduled_at]).toEqual(["scheduled", expected.get((metadata as Item)["scheduled_at"])]);
  expect(new Set(runs.map(({ scheduled_at }) => scheduled_at)).size).toBe(runs.length);
  expect(
    (await call(url, "PATCH", `/v1/jobs/${await idOf({ schedule: "@daily" })}`, { jitter_ms: 5 })).body,
  ).toMatchObject({ jitter_ms: 5 });
});
