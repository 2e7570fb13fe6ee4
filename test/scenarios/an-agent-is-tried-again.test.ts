import { expect, test } from "vitest";
import { releaseRuns } from "../../shared/store/runs/moves/schedule-run.ts";
import { openDb } from "../../shared/store/client.ts";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";
import { quickest } from "../harness/quickest.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

/** Fails in each attempt before the one that its input names. */
const failing = py`
  def main(input, context):
      context.usage(input_tokens=10)
      yield f"try {context.attempt}"
      if context.attempt < input["good"]:
          raise ValueError(f"not yet: {context.attempt}")
      return {"attempt": context.attempt}
`;
const soon = { max_attempts: 3, delay_ms: 1 };
const later = { max_attempts: 3, delay_ms: 60_000 };

const start = async (config: Record<string, unknown>, body: Record<string, unknown>, source = failing) => {
  const agent_id = await makeAgent(url, source, config);
  return execute(url, { agent_id, version: "current", ...body });
};
const statusOf = async (id: string) => (await call(url, "GET", `/v1/runs/${id}`)).body["status"];

test("a run whose agent fails is tried again in the same stream, and is charged for every try", async () => {
  const events = await readEvents(await start({ retry: soon }, { input_payload: { good: 3 } }));
  const told = events.filter(({ event }) => event !== "log" && event !== "usage");
  expect(told.map(({ event }) => event)).toEqual([
    "run.queued",
    ...["run.started", "output.delta", "run.waiting"],
    ...["run.started", "output.delta", "run.waiting"],
    ...["run.started", "output.delta", "run.success"],
  ]);
  expect(told[3]?.data).toMatchObject({
    attempt: 1,
    queue: { position: null, wait_reason: "retry" },
    error: { code: "agent_error", type: "ValueError", message: "not yet: 1" },
    retry_at: expect.stringMatching(/Z$/),
  });
  expect(told[4]?.data["discards"]).toEqual({ attempt: 1, reason: "retry" });
  expect(told.at(-1)?.data).toMatchObject({ result_content: { attempt: 3 }, usage: { input_tokens: 30 }, error: null });

  const runId = String(events[0]?.data["run_id"]);
  expect((await call(url, "GET", `/v1/runs/${runId}`)).body).toMatchObject({ status: "success", attempt: 3 });
  const { rows } = await stack.sql.query("SELECT input_tokens::int FROM usage_records WHERE run_id = $1", [runId]);
  expect(rows).toEqual([{ input_tokens: 30 }]);
  const again = await readEvents(await resume(url, runId));
  expect(again.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
});

test("its last try's error is the run's", async () => {
  const events = await readEvents(
    await start({ retry: { max_attempts: 2, delay_ms: 1 } }, { input_payload: { good: 9 } }),
  );
  expect(events.at(-1)).toMatchObject({
    event: "run.error",
    data: { attempt: 2, error: { code: "agent_error", message: "not yet: 2" }, partial: { output: "try 2" } },
  });
});

test("its budget is for all tries together", async () => {
  const config = { retry: soon, budget: { tokens: 15 } };
  const events = await readEvents(await start(config, { input_payload: { good: 9 } }));
  expect(events.at(-1)?.data).toMatchObject({
    attempt: 2,
    error: { code: "budget_exceeded" },
    usage: { input_tokens: 20 },
  });
});

test("without `retry`, and for what would be met again, the first error is the end", async () => {
  const plain = await readEvents(await start({}, { input_payload: { good: 9 } }));
  // Publishing refuses what its code doesn't name at all.
  const unnamed = `${failing}\n# nothing\n`;
  const missing = await readEvents(await start({ retry: soon, entrypoint: "main.py:nothing" }, {}, unnamed));
  expect([plain.at(-1)?.data["attempt"], missing.at(-1)?.data["error"]]).toEqual([
    1,
    expect.objectContaining({ code: "bad_entrypoint" }),
  ]);
  expect(missing.at(-1)?.data["attempt"]).toBe(1);
});

test("while it waits its thread waits behind it, and a cancel ends it at once", async () => {
  const agent_id = await makeAgent(url, failing, { retry: later });
  const inThread = (good: number) =>
    execute(url, { agent_id, version: "current", thread_id: "patient", input_payload: { good } });
  const first = await inThread(9);
  const seen = await readEvents(first, ({ event }) => event === "run.waiting");
  const runId = String(seen[0]?.data["run_id"]);
  expect((await call(url, "GET", `/v1/runs/${runId}`)).body).toMatchObject({
    status: "scheduled",
    worker_id: null,
    scheduled_at: seen.at(-1)?.data["retry_at"],
    error: { message: "not yet: 1" },
  });
  const second = await inThread(1);
  const behind = await readEvents(second, ({ event }) => event === "run.waiting");
  expect(behind.at(-1)?.data["queue"]).toMatchObject({ wait_reason: "thread_busy" });
  const secondId = String(behind[0]?.data["run_id"]);
  expect(await statusOf(secondId)).toBe("queued");

  expect((await call(url, "POST", `/v1/runs/${runId}/cancel`)).body["status"]).toBe("cancelled");
  const rest = await readEvents(await resume(url, runId, seen.at(-1)?.id));
  expect(rest.map(({ event }) => event)).toEqual(["run.cancelled"]);
  const { rows } = await stack.sql.query("SELECT input_tokens::int FROM usage_records WHERE run_id = $1", [runId]);
  expect(rows).toEqual([{ input_tokens: 10 }]);
  await expect.poll(() => statusOf(secondId), { timeout: 10_000 }).toBe("success");
});

test("while a daemon's message waits, those of its thread wait behind it, and all others are taken", async () => {
  const source = `${failing}\non_message = main\ndel main\n`;
  const agent_id = await makeAgent(url, source, { retry: later });
  const post = (thread_id: string | null, good: number) =>
    execute(url, {
      ...{ agent_id, version: "current", lifecycle: "daemon", input_payload: { good } },
      ...(thread_id !== null && { thread_id }),
    });
  const failed = await readEvents(await post("of-daemon", 9), ({ event }) => event === "run.waiting");
  expect(failed.at(-1)?.data["queue"]).toMatchObject({ wait_reason: "retry" });
  const behind = (await post("of-daemon", 1)).headers.get("x-run-id");
  const other = await readEvents(await post(null, 1));
  expect(other.at(-1)).toMatchObject({ event: "run.success" });
  expect(await statusOf(String(behind))).toBe("queued");
});

test("while it waits, the next one has its place among those that its agent may run at once", async () => {
  const source = py`
    import time
    def main(input):
        time.sleep(input['s'])
        return {} if input['s'] == 0 else None / 0
  `;
  const timeUntilNext = async (): Promise<number> => {
    const agent_id = await makeAgent(url, source, { retry: later, concurrency: 1 });
    const post = (s: number) => execute(url, { agent_id, version: "current", input_payload: { s } });
    const failed = await readEvents(await post(0.7), ({ event }) => event === "run.started");
    const nextOnes = await readEvents(await post(0));
    const runId = String(failed[0]?.data["run_id"]);
    const { body } = await call(url, "GET", `/v1/runs/${runId}/timeline`);
    const steps = body["data"] as { to: string; at: string }[];
    const put = Date.parse(String(steps.find(({ to }) => to === "scheduled")?.at));
    const begun = Date.parse(String(nextOnes.find(({ event }) => event === "run.started")?.data["ts"]));
    return begun - put;
  };
  expect(await quickest(1_000, timeUntilNext)).toBeLessThan(1_000);
});

test("of any number that look at once, one lets each due run join the queue", async () => {
  const count = 100;
  const events = await readEvents(await start({ retry: later }, { input_payload: { good: 9 } }), ({ event }) => {
    return event === "run.waiting";
  });
  // Of no adapter here: no worker takes them before they are counted.
  await stack.sql.query(
    `INSERT INTO runs SELECT r.* FROM runs original, generate_series(1, ${count}) AS i,
       jsonb_populate_record(original, jsonb_build_object('id', 'due-' || i, 'adapter_type', 'container')) AS r
     WHERE original.id = $1`,
    [events[0]?.data["run_id"]],
  );
  const db = openDb(stack.databaseUrl, 6, () => undefined);
  await stack.sql.query("UPDATE runs SET scheduled_at = now() WHERE id LIKE 'due-%'");
  await Promise.all(Array.from({ length: 6 * 5 }, () => releaseRuns(db, 7)));
  await db.close();
  const { rows } = await stack.sql.query(
    `SELECT count(*)::int AS n, count(DISTINCT run_id)::int AS runs FROM run_transitions
     WHERE run_id LIKE 'due-%' AND "from" = 'scheduled' AND "to" = 'queued'`,
  );
  expect(rows[0]).toEqual({ n: count, runs: count });
});

test.each([[{ max_attempts: 1 }], [{ delay_ms: 5 }], [{ max_attempts: 3, factor: 0 }]])(
  "%o is no retry: a 422 that names the place",
  async (retry) => {
    const config = { source: failing, retry };
    const { status, body } = await call(url, "POST", "/v1/agents", { user_id: "u", name: "a", config });
    expect([status, body["detail"]]).toEqual([
      422,
      [expect.objectContaining({ loc: expect.arrayContaining(["config", "retry"]) })],
    ]);
  },
);

/** Fails at first, then hangs. */
const hanging = py`
  import time
  def main(input, context):
      context.usage(input_tokens=10)
      if context.attempt == 1:
          raise ValueError("not yet")
      yield "hangs"
      time.sleep(60)
`;
const anHourAgo = async (runId: string): Promise<void> => {
  await stack.sql.query("UPDATE runs SET started_at = started_at - interval '1 hour' WHERE id = $1", [runId]);
  await stack.sql.query("UPDATE run_transitions SET at = at - interval '1 hour' WHERE run_id = $1 AND attempt <= 1", [
    runId,
  ]);
};

test.each([
  ["cancelled while it waits", "run.waiting", "cancelled", (id: string) => call(url, "POST", `/v1/runs/${id}/cancel`)],
  [
    "completed while it waits",
    "run.waiting",
    "success",
    (id: string) => call(url, "POST", `/v1/runs/${id}/complete`, {}),
  ],
  [
    "expired while it waits",
    "run.waiting",
    "expired",
    (id: string) => stack.sql.query("UPDATE runs SET expires_at = now() WHERE id = $1", [id]),
  ],
  [
    "completed in its next try",
    "output.delta",
    "success",
    (id: string) => call(url, "POST", `/v1/runs/${id}/complete`, {}),
  ],
])("%s, it is charged for its tries, not for the wait", async (_, until, status, end) => {
  const retry = until === "run.waiting" ? later : soon;
  const seen = await readEvents(await start({ retry, source: hanging }, {}), ({ event }) => event === until);
  const runId = String(seen[0]?.data["run_id"]);
  await anHourAgo(runId);
  await end(runId);
  const rest = await readEvents(await resume(url, runId, seen.at(-1)?.id));
  const usage = expect.objectContaining({ input_tokens: 10 });
  const duration_ms = expect.toSatisfy((ms: number) => ms > 0 && ms < 60_000);
  expect(rest.at(-1)).toMatchObject({ event: `run.${status}`, data: { usage, duration_ms } });
  const record = async () => (await call(url, "GET", `/v1/runs/${runId}`)).body;
  expect(await record()).toMatchObject({ status, duration_ms, scheduled_at: null });
  // A try that is stopped tells what it has used when it is gone.
  const all = until === "run.waiting" ? 10 : 20;
  await waitFor(async () => ((await record())["usage"] as { input_tokens: number }).input_tokens === all);
  const { rows } = await stack.sql.query(
    "SELECT sum(input_tokens)::int AS input_tokens, sum(duration_ms)::int AS duration_ms FROM usage_records WHERE run_id = $1",
    [runId],
  );
  expect(rows).toEqual([{ input_tokens: all, duration_ms }]);
});
