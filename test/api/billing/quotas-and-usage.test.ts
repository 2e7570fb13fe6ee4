import { expect, test } from "vitest";
import { openDb } from "../../../shared/store/client.ts";
import { resetWeeks } from "../../../shared/store/billing/reset-weeks.ts";
import { call, readEvents, resume } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";
import { waitFor } from "../../harness/wait-for.ts";

const stack = await useTestStack();
// Two workers, so that both book.
const [{ url }] = await Promise.all([stack.startService(), stack.openWorker()]);

const reporting = py`
  import runfleet
  def main(i):
      with runfleet.tool("search", {"q": ',"tool.start",'}):
          pass
      runfleet.usage(input_tokens=100, output_tokens=20, cost_usd=i.get("cost", 0))
`;

async function agentOf(user_id: string, source = "def main(i): return i"): Promise<string> {
  const { body } = await call(url, "POST", "/v1/agents", { user_id, name: "a", config: { source } });
  return String(body["id"]);
}
const run = (agent_id: string, more: object = {}, headers: Record<string, string> = {}) =>
  call(url, "POST", "/v1/execute", { agent_id, version: "current", ...more }, { prefer: "wait=30", ...headers });
const putPlan = (id: string, bounds: object) => call(url, "PUT", `/v1/billing/plans/${id}`, { name: id, ...bounds });
const subscribe = (user_id: string, plan_id: string) =>
  call(url, "POST", "/v1/billing/subscriptions", { user_id, plan_id });
const walletOf = async (user_id: string) => (await call(url, "GET", `/v1/billing/wallet?user_id=${user_id}`)).body;

/** A user's usage, once all of it is booked. */
const bookedUsage = (user_id: string, count: number) =>
  waitFor(async () => {
    const { body } = await call(url, "GET", `/v1/billing/usage?user_id=${user_id}&limit=100`);
    const data = body["data"] as Record<string, unknown>[];
    return data.length >= count && data.every(({ booked_at }) => booked_at !== null) ? data : null;
  }, 30_000);

/** A standing is read at most once a second. */
const untilStatus = (status: number, ask: () => Promise<{ status: number; body: object }>) =>
  waitFor(async () => {
    const answer = await ask();
    return answer.status === status ? answer : null;
  }, 30_000);

const untilRefused = (ask: () => Promise<{ status: number; body: object }>) =>
  waitFor(async () => {
    const answer = await ask();
    return answer.status >= 400 ? answer : null;
  }, 30_000);

test("each run is metered once, with what its agent reports, and paid from a prepaid wallet to the last run that it covers", async () => {
  await putPlan("metered", { prepaid: true, second_micro_usd: 0 });
  await subscribe("ada", "metered");
  const agent_id = await agentOf("ada", reporting);
  expect(await run(agent_id)).toMatchObject({ status: 402, body: { code: "wallet_empty" } });
  const gift = { user_id: "ada", amount_micro_usd: 1_000_000, description: "Welcome" };
  expect(await call(url, "POST", "/v1/billing/transactions", gift)).toMatchObject({
    status: 201,
    body: { type: "grant" },
  });
  await untilStatus(200, () => run(agent_id, { input_payload: { cost: 0.25 } }));
  for (let i = 0; i < 2; i += 1) await run(agent_id, { input_payload: { cost: 0.25 } });
  const usage = await bookedUsage("ada", 3);
  expect(usage).toHaveLength(3);
  for (const record of usage)
    expect(record).toMatchObject({ input_tokens: 100, output_tokens: 20, tool_calls: 1, cost_micro_usd: 250_000 });
  expect(await walletOf("ada")).toMatchObject({ balance_micro_usd: 250_000, week: { runs: 3, micro_usd: 750_000 } });
  expect((await run(agent_id, { input_payload: { cost: 0.5 } })).status).toBe(200);
  const refused = await untilStatus(402, () => run(agent_id, { input_payload: { cost: 0 } }));
  expect(refused.body).toMatchObject({ code: "wallet_empty" });
  expect(await walletOf("ada")).toMatchObject({ balance_micro_usd: -250_000 });
}, 120_000);

test("tools are counted over a run's attempts, and booking reads no transcript", async () => {
  const source = py`
    import runfleet
    def main(i, context):
        for name in ("a", "b"):
            with runfleet.tool(name, {}):
                pass
        if context.attempt == 1:
            raise ValueError("not yet")
  `;
  const config = { source, retry: { max_attempts: 2, delay_ms: 1 } };
  const { body: agent } = await call(url, "POST", "/v1/agents", { user_id: "lea", name: "a", config });
  const { body } = await run(String(agent["id"]));
  expect(body).toMatchObject({ status: "success", attempt: 2, usage: { tool_calls: 4 } });
  expect(await bookedUsage("lea", 1)).toMatchObject([{ tool_calls: 4 }]);
  const locker = await stack.sql.connect();
  try {
    await locker.query("BEGIN; LOCK TABLE transcript_chunks");
    await stack.sql.query(
      `INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, tool_calls)
       VALUES ('usage_lea', 'lea', 'a', '1', 'run', 'lea-1', 3)`,
    );
    expect(await bookedUsage("lea", 2)).toMatchObject([{ tool_calls: 3 }, { tool_calls: 4 }]);
  } finally {
    await locker.query("ROLLBACK");
    locker.release();
  }
}, 60_000);

test("a refused run leaves no row; one that was accepted is answered again; a dry run is told as well", async () => {
  await putPlan("three", { weekly_runs: 3 });
  await subscribe("bob", "three");
  const agent_id = await agentOf("bob");
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) => run(agent_id, { run_id: `bob-${i}`, thread_id: `bob-thread-${i}` })),
  );
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted).toHaveLength(3);
  for (const answer of answers.filter(({ status }) => status !== 200))
    expect(answer).toMatchObject({ status: 402, body: { code: "weekly_runs_reached" } });
  await bookedUsage("bob", 3);
  expect(await untilStatus(402, () => run(agent_id))).toMatchObject({ body: { code: "weekly_runs_reached" } });
  const rows = async (text: string) => (await stack.sql.query<{ n: number }>(text)).rows[0]?.n;
  expect(await rows("SELECT count(*)::int AS n FROM runs WHERE user_id = 'bob'")).toBe(3);
  expect(await rows("SELECT count(*)::int AS n FROM threads WHERE user_id = 'bob'")).toBe(3);
  const known = accepted[0]?.body ?? {};
  const again = await run(agent_id, { run_id: known["id"], thread_id: known["thread_id"] });
  expect(again).toMatchObject({ status: 200, body: { id: known["id"], status: "success" } });
  const dry = await call(url, "POST", "/v1/validate", { agent_id, version: "current" });
  expect(dry).toMatchObject({ status: 402, body: { code: "weekly_runs_reached" } });
}, 120_000);

test("a week that is over begins anew, by itself and by the reset, once", async () => {
  await putPlan("one", { weekly_runs: 1 });
  const agents = new Map<string, string>();
  for (const user of ["cy", "dan"]) {
    await subscribe(user, "one");
    agents.set(user, await agentOf(user));
    expect((await run(agents.get(user) ?? "")).status).toBe(200);
    await bookedUsage(user, 1);
    await untilStatus(402, () => run(agents.get(user) ?? ""));
  }
  await stack.sql.query(
    "UPDATE billing_accounts SET week_started_at = now() - interval '15 days' WHERE user_id IN ('cy', 'dan')",
  );
  expect((await untilStatus(200, () => run(agents.get("cy") ?? ""))).status).toBe(200);
  await bookedUsage("cy", 2);
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  try {
    expect(await resetWeeks(db, { batch: 10, dryRun: true })).toBe(1);
    expect(await resetWeeks(db, { batch: 10, dryRun: false })).toBe(1);
    expect(await resetWeeks(db, { batch: 10, dryRun: false })).toBe(0);
  } finally {
    await db.close();
  }
  for (const [user, runs] of [
    ["cy", 1],
    ["dan", 0],
  ] as const) {
    const week = Object((await walletOf(user))["week"]);
    expect(week.runs).toBe(runs);
    // On the weekday and hour of the first one: 15 days ago was one day into the week that is now.
    expect(Math.abs(Date.now() - Date.parse(week.started_at) - 86_400_000)).toBeLessThan(60_000);
  }
  expect((await untilStatus(200, () => run(agents.get("dan") ?? ""))).status).toBe(200);
}, 120_000);

test("what an agent reports, however absurd, ends its run and can't break the books", async () => {
  const agent_id = await agentOf("gus", reporting);
  for (const cost of [1e300, -5, 1e-300]) expect((await run(agent_id, { input_payload: { cost } })).status).toBe(200);
  const usage = await bookedUsage("gus", 3);
  expect(usage.map(({ cost_micro_usd }) => cost_micro_usd)).toEqual([0, 0, 1_000_000_000_000]);
}, 60_000);

test("a spend limit counts what its period has cost, refuses what is beyond, and is told of once", async () => {
  const agent_id = await agentOf("eve", reporting);
  await run(agent_id, { input_payload: { cost: 2 } });
  await bookedUsage("eve", 1);
  const put = (limit: object) => call(url, "PUT", "/v1/billing/spend-limit", { user_id: "eve", ...limit });
  const { body } = await put({ period: "day", amount_micro_usd: 3_000_000 });
  expect(body["spend_limits"]).toMatchObject([{ period: "day", spent_micro_usd: 2_000_000, enforced: true }]);
  for (let i = 0; i < 2; i += 1) await run(agent_id, { input_payload: { cost: 1 } });
  await bookedUsage("eve", 3);
  expect(await untilStatus(402, () => run(agent_id))).toMatchObject({ body: { code: "spend_limit_reached" } });
  const { rows } = await stack.sql.query("SELECT type FROM notifications WHERE user_id = 'eve'");
  expect(rows).toEqual([{ type: "billing.spend_limit" }]);
  await put({ period: "day", amount_micro_usd: 3_000_000, enforced: false });
  expect((await untilStatus(200, () => run(agent_id))).status).toBe(200);
  await put({ period: "day", amount_micro_usd: 0 });
  await untilStatus(402, () => run(agent_id));
  expect((await put({ period: "day", amount_micro_usd: null })).body["spend_limits"]).toEqual([]);
  expect((await untilStatus(200, () => run(agent_id))).status).toBe(200);
}, 120_000);

test("a limit counts what was booked of its period, early or late; a change of it waits for no booking", async () => {
  await stack.sql.query(
    `INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, cost_micro_usd, created_at, booked_at)
     SELECT 'usage_' || n, 'kim', 'a', '1', 'run', 'kim-' || n, 7, greatest(date_trunc('month', now(), 'UTC'), now() - n * interval '4 minutes'),
       CASE WHEN n <> 3 THEN now() END
     FROM generate_series(0, 3) AS n`,
  );
  const put = (amount_micro_usd: number) =>
    call(url, "PUT", "/v1/billing/spend-limit", { user_id: "kim", period: "month", amount_micro_usd });
  await put(1_000);
  await bookedUsage("kim", 4);
  const spent = async () => (await put(1_000)).body["spend_limits"];
  expect(await spent()).toMatchObject([{ spent_micro_usd: 28 }]);
  const locker = await stack.sql.connect();
  try {
    await locker.query("BEGIN; SELECT pg_advisory_xact_lock(5262019)");
    expect((await put(2_000)).body["spend_limits"]).toMatchObject([{ amount_micro_usd: 2_000 }]);
  } finally {
    await locker.query("ROLLBACK");
    locker.release();
  }
}, 60_000);

test("a plan's room for open runs is refused with 429, and is free again when they end", async () => {
  await putPlan("narrow", { max_concurrent_runs: 2 });
  await subscribe("fay", "narrow");
  const agent_id = await agentOf(
    "fay",
    py`
      import time
      def main(i): time.sleep(30)
    `,
  );
  const started = [
    await run(agent_id, {}, { prefer: "respond-async" }),
    await run(agent_id, {}, { prefer: "respond-async" }),
  ];
  expect(started.map(({ status }) => status)).toEqual([202, 202]);
  const refused = await run(agent_id, {}, { prefer: "respond-async" });
  expect(refused).toMatchObject({ status: 429, body: { code: "too_many_open_runs" } });
  expect(refused.headers.get("retry-after")).toBe("2");
  for (const { body } of started) await call(url, "POST", `/v1/runs/${String(body["id"])}/cancel`);
  await untilStatus(202, () => run(agent_id, {}, { prefer: "respond-async" }));
}, 120_000);

test("only runs that are open now take a plan's room: one after another they never fill it, at once exactly that many fit", async () => {
  await putPlan("two", { max_concurrent_runs: 2 });
  await subscribe("gil", "two");
  const agent_id = await agentOf("gil");
  await untilStatus(200, () => run(agent_id));
  for (let i = 0; i < 8; i += 1) expect((await run(agent_id)).status).toBe(200);
  const sleeper = await agentOf(
    "gil",
    py`
      import time
      def main(i): time.sleep(30)
    `,
  );
  const asked = Array.from({ length: 12 }, (_, i) => ({ key: { "idempotency-key": `gil-${i}` } }));
  const start = ({ key }: { key: Record<string, string> }) => run(sleeper, {}, { prefer: "respond-async", ...key });
  const answers = await Promise.all(asked.map(start));
  const accepted = asked.filter((_, i) => answers[i]?.status === 202);
  expect(accepted).toHaveLength(2);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10);
  // What was accepted is answered again, what was refused is refused again, and a dry run is told.
  for (const one of asked) expect((await start(one)).status).toBe(accepted.includes(one) ? 202 : 429);
  expect(await call(url, "POST", "/v1/validate", { agent_id, version: "current" })).toMatchObject({ status: 429 });
  const job = { agent_id, version: "current", schedule: "0 0 1 1 *" };
  const { body: made } = await call(url, "POST", "/v1/jobs", job);
  const tick = await call(url, "POST", `/v1/jobs/${String(made["id"])}/trigger`);
  expect(tick).toMatchObject({ status: 429, body: { code: "too_many_open_runs" } });
  const [first] = answers.filter(({ status }) => status === 202);
  await call(url, "POST", `/v1/runs/${String(first?.body["id"])}/complete`, {});
  expect((await run(agent_id)).status).toBe(200);
}, 60_000);

test("who completes a run says how long it took, and not what it costs", async () => {
  await putPlan("by-time", { second_micro_usd: 1_000_000 });
  await subscribe("hal", "by-time");
  const agent_id = await agentOf(
    "hal",
    py`
      import runfleet, time
      def main(i):
          runfleet.usage(input_tokens=7)
          print("begun", flush=True)
          time.sleep(60)
    `,
  );
  const { body: started } = await run(agent_id, {}, { prefer: "respond-async" });
  const run_id = String(started["id"]);
  const shown = async () => (await call(url, "GET", `/v1/runs/${run_id}`)).body;
  await readEvents(await resume(url, run_id), ({ event }) => event === "output.delta");
  await call(url, "POST", `/v1/runs/${run_id}/complete`, { duration_ms: 0 });
  expect(await shown()).toMatchObject({ status: "success", duration_ms: 0 });
  const usage = await waitFor(async () => {
    const records = await bookedUsage("hal", 2);
    return records && records.length === 2 ? records : null;
  }, 30_000);
  const total = (field: string) => usage.reduce((sum, record) => sum + Number(record[field]), 0);
  expect(total("cost_micro_usd")).toBeGreaterThan(0);
  // What its attempt told when it was stopped is billed as well, once.
  expect(total("input_tokens")).toBe(7);
}, 60_000);

test("a request that repeats a key is refused as any other where it may make a run", async () => {
  await putPlan("single", { weekly_runs: 1 });
  await subscribe("ivy", "single");
  const agent_id = await agentOf("ivy");
  const key = { "idempotency-key": "ivy-1" };
  expect((await run(agent_id, {}, key)).status).toBe(200);
  await bookedUsage("ivy", 1);
  await untilStatus(402, () => run(agent_id));
  expect((await run(agent_id, {}, key)).status).toBe(200);
  const debounce = { key: "later", delay_ms: 60_000 };
  expect(await run(agent_id, { debounce }, { ...key, prefer: "respond-async" })).toMatchObject({ status: 402 });
}, 60_000);

test("no run is metered twice or forgotten, and the books agree with it", async () => {
  await waitFor(async () => {
    const { rows } = await stack.sql.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM usage_records WHERE booked_at IS NULL",
    );
    return rows[0]?.n === 0;
  }, 30_000);
  const { rows } = await stack.sql.query(`
    SELECT (SELECT count(*)::int FROM runs WHERE completed_at IS NOT NULL AND started_at IS NOT NULL
        AND (SELECT count(*) FROM usage_records WHERE run_id = runs.id AND source = 'run') <> 1) AS wrong,
      (SELECT sum(amount_micro_usd) FROM ledger_entries)::text AS entries,
      (SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'revenue')::text AS revenue`);
  expect(rows).toEqual([{ wrong: 0, entries: "0", revenue: "1250000" }]);
});

test("a run is priced by the plan under which it was accepted, and not by the one that its owner has when it ends", async () => {
  await putPlan("by-second", { prepaid: true, second_micro_usd: 1_000_000 });
  await putPlan("free", {});
  await subscribe("nia", "by-second");
  await call(url, "POST", "/v1/billing/transactions", { user_id: "nia", amount_micro_usd: 1, description: "Welcome" });
  const agent_id = await agentOf(
    "nia",
    py`
      import time
      def main(i): time.sleep(30)
    `,
  );
  const { body: started } = await run(agent_id, {}, { prefer: "respond-async" });
  const run_id = String(started["id"]);
  await readEvents(await resume(url, run_id), ({ event }) => event === "run.started");
  expect((await subscribe("nia", "free")).status).toBe(201);
  await call(url, "POST", `/v1/runs/${run_id}/complete`, {});
  const cost = (await bookedUsage("nia", 1)).reduce((sum, record) => sum + Number(record["cost_micro_usd"]), 0);
  expect(cost).toBeGreaterThan(0);
  expect(await walletOf("nia")).toMatchObject({ balance_micro_usd: 1 - cost, plan: { id: "free" } });
}, 60_000);

/** Puts an ended run of a user to sleep, as many times over. */
const suspend = async (user_id: string, count: number) => {
  const { rows } = await stack.sql.query<{ names: string }>(
    `SELECT string_agg(quote_ident(column_name), ', ') AS names FROM information_schema.columns
     WHERE table_name = 'runs' AND column_name NOT IN ('id', 'status', 'completed_at')`,
  );
  await stack.sql.query(
    `INSERT INTO runs (id, status, ${rows[0]?.names})
     SELECT id || '-' || n, 'suspended', ${rows[0]?.names} FROM runs, generate_series(1, $2) AS n WHERE user_id = $1 LIMIT $2`,
    [user_id, count],
  );
};

test("suspended runs count among those that have not ended, by the week and at once", async () => {
  for (const [user_id, bounds, code] of [
    ["hal", { weekly_runs: 3 }, "weekly_runs_reached"],
    ["ida", { max_concurrent_runs: 2 }, "too_many_open_runs"],
  ] as const) {
    const agent_id = await agentOf(user_id);
    await run(agent_id);
    await bookedUsage(user_id, 1);
    await suspend(user_id, 2);
    await putPlan(`plan-of-${user_id}`, bounds);
    await subscribe(user_id, `plan-of-${user_id}`);
    const dry = { agent_id, version: "current" };
    expect((await untilRefused(() => call(url, "POST", "/v1/validate", dry))).body).toMatchObject({ code });
    await stack.sql.query("DELETE FROM runs WHERE user_id = $1 AND status = 'suspended'", [user_id]);
    expect((await untilStatus(200, () => run(agent_id))).status).toBe(200);
  }
}, 60_000);

test("of the runs that one call starts, as many start as the week has left", async () => {
  const starter = py`
    from runfleet import context
    def main(input):
        results = context.map(input["agent"], [{}] * 5, return_errors=True)
        return {"codes": [getattr(result, "code", None) for result in results]}
  `;
  const user_id = "jo";
  const [child, parent] = [await agentOf(user_id), await agentOf(user_id, starter)];
  await putPlan("three-of-jo", { weekly_runs: 3 });
  await subscribe(user_id, "three-of-jo");
  const { body } = await untilStatus(200, () => run(parent, { input_payload: { agent: child } }));
  const { codes } = (body as { result_content: { codes: (string | null)[] } }).result_content;
  expect(codes.filter((code) => code === null)).toHaveLength(2);
  expect(codes.filter((code) => code === "weekly_runs_reached")).toHaveLength(3);
}, 60_000);
