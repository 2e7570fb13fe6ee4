import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const token = randomBytes(32).toString("hex");

/** Long over, so that all of its hours can be rolled up: around the spring day of 23 hours in Berlin. */
const [since, until] = ["2025-03-28T10:20:00Z", "2025-04-01T13:47:12Z"];

const stack = await useTestStack();
const { url } = await stack.openApi({ INTERNAL_TOKEN: token });
const agents = [await makeAgent(url, "def main(i): return i"), await makeAgent(url, "def main(i): return i")];
await seed(4_000);

async function seed(runs: number): Promise<void> {
  await stack.sql.query("SELECT setseed(0.42)");
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, created_at, started_at, completed_at, duration_ms, usage, error)
     SELECT 'run' || n, 'user' || n % 3, ($2::text[])[1 + n % 2], '1.0.' || n % 2,
       CASE WHEN n % 10 = 0 THEN 'error' WHEN n % 17 = 0 THEN 'timeout' ELSE 'success' END::run_status, 3, 'python',
       'standard', 'serverless', 1000, '{}', '[]', '[]', '', at, at - interval '2 s', at - interval '1 s', at,
       (random() * 60000)::int, CASE WHEN n % 5 > 0 THEN json_build_object('input_tokens', n, 'cost_usd', 0.001) END,
       CASE WHEN n % 10 = 0 THEN ('{"code":"e' || n % 3 || '","type":null,"message":"a \\u0000","traceback":null}')::json END
     FROM (SELECT n, '2025-03-28T00:00Z'::timestamptz + random() * interval '6 days' AS at FROM generate_series(1, $1) n) AS made`,
    [runs, agents],
  );
}

type Figures = { totals: Record<string, unknown>; series: { start: string; runs: number }[] };
const ask = async (path: string, query: Record<string, string> = {}): Promise<Record<string, unknown>> => {
  const { status, body } = await call(
    url,
    "GET",
    `/v1/studio/${path}?${String(new URLSearchParams({ since, until, ...query }))}`,
  );
  expect([path, status, status === 200 ? "" : body]).toEqual([path, 200, ""]);
  return body;
};

const views = (): [string, Record<string, string>][] => [
  ...["hour", "day", "week", "month"].flatMap((unit) =>
    ["UTC", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu"].map((timezone): [string, Record<string, string>] => [
      "overview",
      { unit, timezone },
    ]),
  ),
  ["overview", { user_id: "user1" }],
  [`agents/${agents[0]}/stats`, { unit: "hour" }],
  [`agents/${agents[1]}/stats`, { version: "1.0.0" }],
  [`agents/${agents[0]}/errors`, {}],
  [`agents/${agents[0]}/latency-distribution`, {}],
  [`agents/${agents[0]}/token-distribution`, {}],
  ["agents", {}],
];

const rollUp = async () =>
  (await call(url, "POST", "/v1/internal/jobs/rollup-analytics", undefined, { authorization: `Bearer ${token}` })).body;

test("figures are the same before, while and after their hours are rolled up, and what the runs themselves say", async () => {
  const asked = views();
  const before = await Promise.all(asked.map(([path, query]) => ask(path, query)));
  const { rows } = await stack.sql.query(
    `SELECT count(*)::int AS runs, count(*) FILTER (WHERE status = 'error')::int AS error, sum(duration_ms)::int AS duration_ms
     FROM runs WHERE completed_at >= $1 AND completed_at < $2`,
    [since, until],
  );
  expect((before[0] as Figures).totals).toMatchObject(rows[0]);
  expect(await rollUp()).toMatchObject({ status: "success" });
  expect((await stack.sql.query("SELECT max(begins_at) > $1 AS over FROM run_rollups", [until])).rows).toEqual([
    { over: true },
  ]);
  expect(await Promise.all(asked.map(([path, query]) => ask(path, query)))).toEqual(before);
  // Rolled up half-way: the hours behind it are read from the runs.
  await stack.sql.query("DELETE FROM run_rollups WHERE begins_at > '2025-03-30T05:00Z'");
  expect(await Promise.all(asked.map(([path, query]) => ask(path, query)))).toEqual(before);
  await rollUp();
}, 120_000);

test("a turn of the rollup goes on where the last one ended, and a repeated one adds nothing", async () => {
  const count = async () => (await stack.sql.query("SELECT count(*)::int AS n FROM run_rollups")).rows;
  await rollUp();
  const before = await count();
  expect(await rollUp()).toMatchObject({ status: "success", result: { half_hours: 0, days: 0 } });
  expect(await count()).toEqual(before);
}, 60_000);

test("a day is summed up from its half hours, and not from its runs", async () => {
  await rollUp();
  const days = { since: "2025-03-29T00:00:00Z", until: "2025-04-01T00:00:00Z" };
  const asked: [string, Record<string, string>][] = [
    ["overview", { unit: "day", timezone: "UTC" }],
    ["overview", { user_id: "user1" }],
    [`agents/${agents[1]}/stats`, { version: "1.0.0" }],
    [`agents/${agents[0]}/latency-distribution`, {}],
    [`agents/${agents[0]}/token-distribution`, {}],
  ];
  const askDays = () => Promise.all(asked.map(([path, query]) => ask(path, { ...query, ...days })));
  const codesOf = async () =>
    (
      await stack.sql.query(
        `SELECT user_id, agent_id, version, begins_at, code, count FROM run_rollups, json_each_text(error_codes) AS each (code, count)
         WHERE span = 'day' ORDER BY 1, 2, 3, 4, 5`,
      )
    ).rows;
  const [before, codes] = [await askDays(), await codesOf()];
  expect(codes.length).toBeGreaterThan(6);
  await stack.sql.query("DELETE FROM run_rollups WHERE span = 'day'");
  await stack.sql.query("UPDATE runs SET completed_at = completed_at - interval '1 year'");
  try {
    expect(await rollUp()).toMatchObject({ status: "success", result: { half_hours: 0, days: 6 } });
    expect(await askDays()).toEqual(before);
    expect(await codesOf()).toEqual(codes);
  } finally {
    await stack.sql.query("UPDATE runs SET completed_at = completed_at + interval '1 year'");
  }
}, 60_000);

test("buckets are the time zone's calendar, without a gap: Berlin's spring day has 23 hours", async () => {
  const days = (await ask("overview", { unit: "day", timezone: "Europe/Berlin" })) as unknown as Figures;
  expect(days.series.map(({ start }) => start)).toEqual([
    "2025-03-27T23:00:00.000Z",
    "2025-03-28T23:00:00.000Z",
    "2025-03-29T23:00:00.000Z",
    "2025-03-30T22:00:00.000Z",
    "2025-03-31T22:00:00.000Z",
  ]);
  const empty = (await ask("overview", { since: "2024-01-01", until: "2024-01-08" })) as unknown as Figures;
  expect(empty.series).toHaveLength(7);
  expect(empty.series.every(({ runs }) => runs === 0)).toBe(true);
  expect(empty.totals).toMatchObject({ runs: 0, success_rate: null, latency_ms: { p50: null } });
  const month = (await ask("overview", { unit: "month", timezone: "Asia/Kolkata" })) as unknown as Figures;
  expect(month.series.map(({ start }) => start)).toEqual(["2025-02-28T18:30:00.000Z", "2025-03-31T18:30:00.000Z"]);
});

test("percentiles are within 9 % of the exact ones", async () => {
  const { rows } = await stack.sql.query<{ p: number[] }>(
    `SELECT percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration_ms) AS p FROM runs
     WHERE agent_id = $1 AND completed_at >= $2 AND completed_at < $3`,
    [agents[0], since, until],
  );
  const { duration_ms } = (await ask(`agents/${agents[0]}/latency-distribution`)) as {
    duration_ms: Record<string, number>;
  };
  for (const [place, name] of ["p50", "p95", "p99"].entries()) {
    const ratio = Number(duration_ms[name]) / Number(rows[0]?.p[place]);
    expect(ratio).toBeGreaterThan(0.91);
    expect(ratio).toBeLessThan(1.1);
  }
});

test("what a request gets wrong is a 422: a zone that there isn't, too many buckets", async () => {
  const bad = (query: string) => call(url, "GET", `/v1/studio/overview?${query}`);
  for (const timezone of ["Mars/Base", "%2B02:00", "''", "Etc/Nowhere"])
    expect(await bad(`timezone=${timezone}`)).toMatchObject({ status: 422 });
  expect(await bad("unit=hour&since=2020-01-01")).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["query", "unit"] }] },
  });
  expect(await bad("since=2025-01-02&until=2025-01-01")).toMatchObject({ status: 200, body: { series: [] } });
});

test("errors come with their share and their last run, although a message has a NUL", async () => {
  const { runs, data } = (await ask(`agents/${agents[0]}/errors`)) as {
    runs: number;
    data: { code: string; count: number; share: number; last: { run_id: string; message: string } }[];
  };
  expect(data.map(({ code }) => code).toSorted()).toEqual(["e0", "e1", "e2"]);
  for (const { count, share, last } of data) {
    expect(share).toBeCloseTo(count / runs);
    expect(last).toMatchObject({ run_id: expect.stringMatching(/^run\d+$/), message: "a \u0000" });
  }
});

test("session depth counts the runs of each thread", async () => {
  await stack.sql.query(
    `INSERT INTO threads (id, user_id, agent_id, created_at)
     SELECT 'thread' || n, 'user0', $1, '2025-03-30T00:00Z' FROM generate_series(1, 3) n`,
    [agents[0]],
  );
  await stack.sql.query("UPDATE runs SET thread_id = 'thread1' WHERE id IN ('run2', 'run4', 'run6')");
  await stack.sql.query("UPDATE runs SET thread_id = 'thread2' WHERE id = 'run8'");
  expect(await ask(`agents/${agents[0]}/session-depth`)).toMatchObject({
    threads: 3,
    mean: 4 / 3,
    depths: [
      { runs: 0, threads: 1 },
      { runs: 1, threads: 1 },
      { runs: 3, threads: 1 },
    ],
  });
});

test("the export has a line for each run of the filter, as CSV or NDJSON", async () => {
  const text = async (query: string) => (await fetch(`${url}/v1/studio/export?${query}`)).text();
  const [head, ...lines] = (await text(`agent_id=${agents[0]}`)).trimEnd().split("\n");
  expect(head).toMatch(/^run_id,agent_id,version,user_id,thread_id,job_id,status,error_code,/);
  expect(lines).toHaveLength(2_000);
  expect(new Set(lines.map((line) => line.split(",")[0])).size).toBe(2_000);
  const errors = (await text("format=ndjson&status=error")).trimEnd().split("\n");
  expect(errors).toHaveLength(400);
  expect(JSON.parse(errors[0] ?? "")).toMatchObject({ status: "error", cost_usd: expect.any(Number) });
});

test("the usage log and the runs of an agent are pages of that agent alone", async () => {
  const page = await call(url, "GET", `/v1/studio/agents/${agents[0]}/usage-log?limit=2&order=asc`);
  expect(page.body).toMatchObject({ has_more: true, data: [{ input_tokens: expect.any(Number) }, {}] });
  const next = await call(
    url,
    "GET",
    `/v1/studio/agents/${agents[0]}/usage-log?after=${String(page.body["last_id"])}&order=asc`,
  );
  expect((next.body["data"] as unknown[]).length).toBe(20);
  const runs = await call(url, "GET", `/v1/studio/agents/${agents[1]}/runs?status=error`);
  for (const run of runs.body["data"] as { agent_id: string; status: string }[])
    expect(run).toMatchObject({ agent_id: agents[1], status: "error" });
});

test("errors that are alike are one group; it can be resolved, comes back with the next failure, and is deleted with its agent", async () => {
  const agent_id = await makeAgent(url, "def main(i): return i");
  const fail = (id: string, n: number, hours: number, status = "error", version = "1.0.0") => {
    const traceback = `Traceback:\n  File "main.py", line ${n}, in main\nValueError: no`;
    const error = { code: "agent_error", type: "ValueError", message: `file ${n} is no PDF`, traceback };
    return stack.sql.query(
      `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
         input_payload, history, files, request_hash, expires_at, created_at, completed_at, error)
       VALUES ($1, 'eve', $2, $5, $3::run_status, 1, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '', now(),
         now() - $4 * interval '1 h', now(), $6)`,
      [id, agent_id, status, hours, version, status === "error" ? JSON.stringify(error) : null],
    );
  };
  await fail("e1", 1, 40);
  await fail("e2", 2, 3, "error", "1.0.1");
  await fail("e3", 3, 2, "error", "1.0.1");
  await fail("e4", 0, 1, "expired");
  type Group = Record<string, unknown> & { fingerprint: string; trend: number[] };
  const list = async (query = ""): Promise<Record<string, unknown> & { data: Group[] }> =>
    (await call(url, "GET", `/v1/studio/errors?agent_id=${agent_id}${query}`)).body as never;

  const { failures, more, data } = await list();
  expect([failures, more, data.length]).toEqual([4, false, 2]);
  const [group, other] = data;
  expect(group).toMatchObject({
    ...{ agent_id, code: "agent_error", type: "ValueError", message: "file 3 is no PDF", frame: "main.py in main" },
    ...{ count: 3, share: 0.75, last_run_id: "e3", state: "open", regressed: false },
    versions: [
      { version: "1.0.1", count: 2 },
      { version: "1.0.0", count: 1 },
    ],
  });
  expect(group?.trend.reduce((sum, count) => sum + count, 0)).toBe(3);
  expect(other).toMatchObject({ code: "expired", count: 1, frame: null });
  const recent = new Date(Date.now() - 30 * 3_600_000).toISOString();
  expect((await list(`&since=${recent}&version=1.0.1`)).data.map(({ count }) => count)).toEqual([2]);
  expect((await call(url, "GET", "/v1/studio/errors?limit=1")).body["data"]).toHaveLength(1);

  const path = `/v1/studio/errors/${group?.fingerprint}`;
  const { body } = await call(url, "GET", path);
  expect(body).toMatchObject({ run_ids: ["e3", "e2", "e1"] });
  expect(body["traceback"]).toContain("line 3, in main");
  const resolved = await call(url, "PATCH", path, { state: "resolved" });
  expect(resolved.body).toMatchObject({ state: "resolved", regressed: false, state_changed_by: expect.any(String) });
  expect((await list("&state=open")).data).toHaveLength(1);
  await fail("e5", 5, -0.01);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  expect((await list(`&until=${until}&state=open`)).data[0]).toMatchObject({
    count: 4,
    state: "open",
    regressed: true,
  });
  await call(url, "PATCH", path, { state: "ignored" });
  expect((await list(`&until=${until}&state=ignored`)).data).toHaveLength(1);
  await call(url, "PATCH", path, { state: "open" });
  expect((await list("&state=open")).data).toHaveLength(2);

  expect((await call(url, "GET", `/v1/studio/errors/${"0".repeat(32)}`)).body["code"]).toBe("error_group_not_found");
  await call(url, "PATCH", path, { state: "ignored" });
  await stack.sql.query("DELETE FROM agents WHERE id = $1", [agent_id]);
  expect((await stack.sql.query("SELECT FROM error_groups WHERE agent_id = $1", [agent_id])).rowCount).toBe(0);
  expect((await call(url, "PATCH", path, { state: "ignored" })).status).toBe(404);
});
