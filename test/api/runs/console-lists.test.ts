import { expect, test } from "vitest";
import { call, execute, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
const { url } = await stack.startService();
const statuses = ["success", "success", "success", "error", "timeout", "cancelled"];
await stack.sql.query(
  `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
     input_payload, result_content, error, history, files, request_hash, expires_at, created_at, completed_at, duration_ms,
     origin, worker_id, replay_of)
   SELECT 'run' || n, 'u', 'agent' || n % 3, '1.' || n % 2, ($1::text[])[1 + n % 6]::run_status, 3, 'python', 'standard',
     CASE WHEN n = 7 THEN 'interactive' ELSE 'serverless' END, 1000,
     CASE WHEN n = 8 THEN json_build_object('x', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 20000) i))
       ELSE json_build_object('n', n, 'text', repeat('ä', 300)) END,
     CASE WHEN n % 6 < 3 THEN json_build_object('ok', n) END,
     CASE WHEN n % 6 > 2
       THEN ('{"code":"code' || n % 6 || '","type":null,"message":"of \\"code\\":\\"code9\\" \\u0000","traceback":null}')::json END,
     '[]', '[]', '', now(), now() - interval '1 hour' + n * interval '1 s', now(), n * 10,
     CASE WHEN n % 6 = 0 THEN 'replay' ELSE 'api' END::run_origin, 'worker' || n % 2, CASE WHEN n % 6 = 0 THEN 'run1' END
   FROM generate_series(1, 24) n`,
  [statuses],
);

type Run = { id: string; input_preview: string | null; result_preview: string | null };
const list = async (query: string, path = "/v1/runs"): Promise<Run[]> =>
  (await call(url, "GET", `${path}?limit=100&${query}`)).body["data"] as Run[];
const numbers = (runs: Run[]): number[] => runs.map(({ id }) => Number(id.slice(3))).sort((a, b) => a - b);
const expected = (wanted: (n: number) => boolean): number[] =>
  Array.from({ length: 24 }, (_, at) => at + 1).filter(wanted);

test.each<[string, (n: number) => boolean]>([
  ["status=error,timeout", (n) => [3, 4].includes(n % 6)],
  ["status=success", (n) => n % 6 < 3],
  ["agent_id=agent0,agent2", (n) => n % 3 !== 1],
  ["agent_id=agent0,nobody&status=cancelled,success", (n) => n % 3 === 0 && (n % 6 === 5 || n % 6 < 3)],
  ["version=1.0,1.7", (n) => n % 2 === 0],
  ["origin=replay", (n) => n % 6 === 0],
  ["replay_of=run1", (n) => n % 6 === 0],
  ["worker_id=worker1", (n) => n % 2 === 1],
  ["lifecycle=interactive", (n) => n === 7],
  ["min_duration_ms=200", (n) => n >= 20],
  ["error_code=code4", (n) => n % 6 === 4],
  ["error_code=code9", () => false],
  ["error_code=%25", () => false],
])("GET /v1/runs?%s", async (query, wanted) => {
  expect(numbers(await list(query))).toEqual(expected(wanted));
  expect(numbers(await list(query, "/v1/admin/runs"))).toEqual(expected(wanted));
});

test.each([
  ["status=error,nope", "status"],
  ["status=", "status"],
  ["status=error,", "status"],
  ["agent_id=a,,b", "agent_id"],
  [`agent_id=${Array.from({ length: 21 }, (_, n) => `a${n}`).join(",")}`, "agent_id"],
  ["origin=web", "origin"],
  ["min_duration_ms=-1", "min_duration_ms"],
])("%s is a 422 that names the place", async (query, place) => {
  const { status, body } = await call(url, "GET", `/v1/runs?${query}`);
  expect(status).toBe(422);
  expect((body["detail"] as { loc: string[] }[])[0]?.loc).toEqual(["query", place]);
});

/** Of the 24 runs: every third costs, and costs less the later it was made. */
await stack.sql.query(
  `UPDATE runs SET usage = json_build_object('cost_usd', 25 - substr(id, 4)::int) WHERE substr(id, 4)::int % 3 = 0`,
);

/** Reads a list page by page, and returns the ids of its runs in its order. */
async function readInOrder(query: string, path = "/v1/runs"): Promise<string[]> {
  const found: string[] = [];
  for (let after = ""; ;) {
    const { body } = await call(url, "GET", `${path}?limit=5&${query}${after}`);
    found.push(...(body["data"] as Run[]).map(({ id }) => id));
    if (body["has_more"] !== true) return found;
    after = `&after=${String(body["last_id"])}`;
  }
}

test.each<[string, number[]]>([
  ["order_by=duration_ms", expected(() => true).toReversed()],
  ["order_by=duration_ms&order=asc&status=success", expected((n) => n % 6 < 3)],
  ["order_by=cost_usd&agent_id=agent0", expected((n) => n % 3 === 0)],
  ["order_by=cost_usd&order=asc", expected((n) => n % 3 === 0).toReversed()],
  ["order_by=cost_usd&agent_id=agent1", []],
])("GET /v1/runs?%s, page by page", async (query, wanted) => {
  const ids = wanted.map((n) => `run${n}`);
  for (const path of ["/v1/runs", "/v1/admin/runs"]) expect(await readInOrder(query, path)).toEqual(ids);
});

test("a run without a cost is no place in a list by cost", async () => {
  const { status, body } = await call(url, "GET", "/v1/runs?order_by=cost_usd&after=run1");
  expect(status).toBe(422);
  expect((body["detail"] as { loc: string[] }[])[0]?.loc).toEqual(["query", "after"]);
});

test("a row shows how its input and result begin, and no more; what is large as stored is not read", async () => {
  const runs = await list("");
  const run = runs.find(({ id }) => id === "run1");
  expect(run?.input_preview).toHaveLength(200);
  expect(run?.input_preview).toMatch(/^\{"n" : 1, "text" : "ä+$/);
  expect(run?.result_preview).toBe('{"ok" : 1}');
  expect(run).not.toHaveProperty("input_payload");
  expect(runs.find(({ id }) => id === "run8")?.input_preview).toBeNull();
  expect(runs.find(({ id }) => id === "run3")?.result_preview).toBeNull();
});

type Counts = { status: string; count: number; more: boolean }[];
const counts = async (query: string): Promise<Record<string, number>> => {
  const { body } = await call(url, "GET", `/v1/runs/count?${query}`);
  const found = (body["data"] as Counts).filter(({ count }) => count > 0);
  expect(found.every(({ more }) => !more)).toBe(true);
  return Object.fromEntries(found.map(({ status, count }) => [status, count]));
};

test("a count by status has what the list has, for every filter", async () => {
  expect(await counts("")).toEqual({ success: 12, error: 4, timeout: 4, cancelled: 4 });
  expect(await counts("agent_id=agent0")).toEqual({ success: 4, error: 4 });
  expect(await counts("version=1.0&status=error,timeout")).toEqual({ timeout: 4 });
  expect(await counts("min_duration_ms=200")).toEqual({
    ...{ success: 2, error: 1, timeout: 1, cancelled: 1 },
  });
  expect(await counts("search=nowhere")).toEqual({});
  expect((await call(url, "GET", "/v1/runs/count?by=agent")).status).toBe(422);
});

test("a count ends at 10,000 of a status and says that there are more; a list by duration goes on beyond them", async () => {
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, version, status, max_attempts, adapter_type, runtime_mode, lifecycle, timeout_ms,
       input_payload, history, files, request_hash, expires_at, created_at, completed_at, duration_ms)
     SELECT 'many' || n, 'many', 'many', '1', CASE WHEN n <= 3 THEN 'error' ELSE 'success' END::run_status, 3, 'python', 'standard',
       'serverless', 1000, '{}', '[]', '[]', '', now(), now() - interval '1 day' + n * interval '1 ms', now(), n
     FROM generate_series(1, 12000) n`,
  );
  const of = async (query: string) =>
    ((await call(url, "GET", `/v1/runs/count?agent_id=many&${query}`)).body["data"] as Counts).filter(
      ({ count }) => count > 0,
    );
  expect(await of("")).toEqual([
    { status: "success", count: 10_000, more: true },
    { status: "error", count: 3, more: false },
  ]);
  // No index finds a version: the newest 10,000 are looked at.
  expect(await of("version=1")).toEqual([{ status: "success", count: 10_000, more: true }]);
  // Sorted by another value, so many runs are not sorted for each page: the longest 10,000 are looked at, then the others.
  expect(await readInOrder("agent_id=many&order_by=duration_ms&search=many1999")).toEqual(["many1999"]);
  await stack.sql.query("DELETE FROM runs WHERE agent_id = 'many'");
});

test("metadata of a run that has ended is patched, and lists find the run by it", async () => {
  const patch = (metadata: unknown, id = "run1") => call(url, "PATCH", `/v1/runs/${id}`, { metadata });
  expect((await patch({ note: "seen", pinned: true, deep: { a: 1 } })).body["metadata"]).toEqual({
    note: "seen",
    pinned: true,
    deep: { a: 1 },
  });
  expect((await patch({ pinned: null, deep: { b: 2 } })).body["metadata"]).toEqual({
    note: "seen",
    deep: { a: 1, b: 2 },
  });
  expect(numbers(await list("metadata[note]=seen"))).toEqual([1]);
  expect(numbers(await list("metadata[pinned]=true"))).toEqual([]);
  // Two at once lose nothing.
  await Promise.all(Array.from({ length: 8 }, (_, n) => patch({ [`k${n}`]: n })));
  const { metadata } = (await call(url, "GET", "/v1/runs/run1")).body as { metadata: Record<string, unknown> };
  expect(Object.keys(metadata)).toHaveLength(10);
  expect((await patch({ big: "x".repeat(70_000) })).status).toBe(422);
  expect((await patch(Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`m${n}`, n])))).status).toBe(422);
  expect((await patch({}, "nowhere")).status).toBe(404);
  expect((await patch(null)).body["metadata"]).toEqual({});
  expect((await call(url, "PATCH", "/v1/runs/run1", { status: "success" })).status).toBe(422);
});

test("a run is annotated while it runs, and its end keeps the note", async () => {
  const agent_id = await makeAgent(url, "import time\ndef main(i):\n  time.sleep(1)\n  return {'ok': True}");
  const made = await execute(url, { agent_id, version: "current" }, { prefer: "respond-async" });
  const { id } = (await made.json()) as { id: string };
  expect((await call(url, "PATCH", `/v1/runs/${id}`, { metadata: { note: "now" } })).status).toBe(200);
  await waitFor(async () => (await call(url, "GET", `/v1/runs/${id}`)).body["status"] === "success", 20_000);
  expect((await call(url, "GET", `/v1/runs/${id}`)).body["metadata"]).toEqual({ note: "now" });
});

test("a selection of runs is cancelled or run again, as far as a filter matches it; operations are listed", async () => {
  const ask = (action: string, body: object) => call(url, "POST", `/v1/runs/bulk/${action}`, body);
  const preview = await ask("replay", { run_ids: ["run1", "run2", "run3", "nowhere"], preview: true });
  expect(preview.body["total"]).toBe(3);
  const filtered = await ask("replay", {
    run_ids: ["run1", "run3"],
    filter: { status: "error,timeout" },
    preview: true,
  });
  expect((filtered.body["examples"] as Run[]).map(({ id }) => id)).toEqual(["run3"]);
  expect((await ask("replay", { filter: { status: ["error", "timeout"] }, preview: true })).body["total"]).toBe(8);
  for (const body of [
    {},
    { filter: {} },
    { run_ids: [] },
    { run_ids: Array.from({ length: 1001 }, (_, n) => `r${n}`) },
  ])
    expect((await ask("cancel", body)).status).toBe(422);
  const { status, body } = await ask("cancel", { run_ids: ["run1", "run2"] });
  expect(status).toBe(202);
  expect(body).toMatchObject({ total: 0, filter: { run_ids: ["run1", "run2"] } });
  const operations = async (query: string) =>
    ((await call(url, "GET", `/v1/runs/bulk?${query}`)).body["data"] as { id: string }[]).map(({ id }) => id);
  await expect.poll(() => operations("status=done"), { timeout: 10_000 }).toEqual([body["id"]]);
  expect(await operations("status=error")).toEqual([]);
  expect(await operations("user_id=somebody")).toEqual([]);
});

test("a schedule is tried before a job is made of it", async () => {
  const preview = (body: object) => call(url, "POST", "/v1/jobs/preview", body);
  const ticks = async (body: object) =>
    ((await preview(body)).body["data"] as { scheduled_at: string }[]).map(({ scheduled_at }) => scheduled_at);
  const mornings = await ticks({ schedule: "0 9 * * *", timezone: "Asia/Kolkata" });
  expect(mornings).toHaveLength(5);
  expect(mornings.every((at) => at.endsWith("T03:30:00.000Z"))).toBe(true);
  expect(await ticks({ schedule: "every 5m", count: 2 })).toHaveLength(2);
  expect(await ticks({ schedule: "2099-01-01T00:00:00Z" })).toEqual(["2099-01-01T00:00:00.000Z"]);
  const soon = new Date(Date.now() + 11 * 60_000).toISOString();
  expect((await ticks({ schedule: "every 5m", ends_at: soon })).length).toBeLessThan(4);
  for (const [body, place] of [
    [{ schedule: "61 * * * *" }, "schedule"],
    [{ schedule: "2001-01-01T00:00:00Z" }, "schedule"],
    [{ schedule: "@daily", timezone: "Mars/Base" }, "timezone"],
    [{ schedule: "@daily", count: 1001 }, "count"],
    [{}, "schedule"],
  ] as const) {
    const { status, body: answer } = await preview(body);
    expect([status, (answer["detail"] as { loc: string[] }[])[0]?.loc[1]]).toEqual([422, place]);
  }
  expect((await call(url, "GET", "/v1/jobs")).body["data"]).toEqual([]);
});
