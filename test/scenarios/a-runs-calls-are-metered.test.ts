import { afterAll, expect, onTestFinished, test } from "vitest";
import { openCalledService } from "../../chaos/attack/gateway/called-service.ts";
import { gatewayAttacks, playGatewayAttack } from "../../chaos/attack/gateway/attack-gateway.ts";
import { createRandom, shuffled } from "../../chaos/random.ts";
import { readRemainingSpend } from "../../shared/store/billing/read-remaining-spend.ts";
import { insertCall, type NewCall } from "../../shared/store/calls/insert-call.ts";
import { readSharedRoom, reserveShared } from "../../shared/store/calls/shared-budgets.ts";
import { type Db, openDb } from "../../shared/store/client.ts";
import { createRemainingSpend } from "../../worker/calls/remaining-spend.ts";
import { answerRun, call, execute, makeAgent, readEvents, resume, type SentEvent } from "../harness/client.ts";
import { openModelProvider } from "../harness/model-provider.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { waitFor } from "../harness/wait-for.ts";

const secret = "sk-real-0011223344556677";
const provider = await openModelProvider(secret);
const attacked = await openCalledService("sk-of-the-service-0123456789");
afterAll(() => {
  provider.close();
  attacked.close();
});
const stack = await useTestStack();
const { url } = await stack.startService({
  worker: {
    EGRESS_ALLOW: `127.0.0.1:${provider.port},127.0.0.1:${attacked.port}`,
    EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
  },
});
const put = (more: object = {}) =>
  call(url, "PUT", "/v1/connections/openai?user_id=tester", {
    preset: "openai",
    base_url: `${provider.url}/v1`,
    secret,
    ...more,
  });
await put();

/** Asks as often as it is told, at the same time, and says what it was answered. */
const asks = py`
  import json, os, urllib.request
  from concurrent.futures import ThreadPoolExecutor
  from urllib.error import HTTPError
  def ask(body):
      request = urllib.request.Request(
          os.environ["OPENAI_BASE_URL"] + body.pop("path", "/chat/completions"), json.dumps(body).encode(), {"content-type": "application/json"}
      )
      try:
          with urllib.request.urlopen(request, timeout=20) as answer:
              return [answer.status, answer.read().decode()]
      except HTTPError as error:
          return [error.code, json.loads(error.read())["error"]["code"], error.headers["x-should-retry"]]
  def main(input, context):
      if "claims" in input: context.usage(**input["claims"])
      body = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "hello"}], **input.get("body", {})}
      with ThreadPoolExecutor(input.get("at_once", 1)) as pool:
          answers = list(pool.map(ask, [dict(body) for _ in range(input.get("times", 1))]))
      return {"answers": [answer if answer[0] != 200 else [200] for answer in answers]}
`;

async function run(input_payload: object, config: object = {}) {
  const agent_id = await makeAgent(url, asks, { connections: ["openai"], ...config });
  provider.calls.length = 0;
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
  const end = events.at(-1);
  const run_id = String(events[0]?.data["run_id"]);
  return { events, end, run_id, agent_id, answers: answersOf(events) };
}
const answersOf = (events: SentEvent[]): unknown[][] =>
  (events.at(-1)?.data["result_content"] as { answers: unknown[][] } | null)?.answers ?? [];
const ofType = (events: SentEvent[], type: string) =>
  events.filter(({ event }) => event === type).map(({ data }) => data);
const billed = () => provider.calls.reduce((sum, { tokens: [input, output] }) => sum + input + output, 0);

test("a run's usage and its bill are what the provider counted, whatever the agent says; each call is listed", async () => {
  const claims = { input_tokens: 1, output_tokens: 1, cost_usd: 0 };
  const { events, end, run_id } = await run({ times: 3, claims, body: { stream: true } });
  const inputs = provider.calls.reduce((sum, { tokens }) => sum + tokens[0], 0);
  const cost_usd = Math.ceil(inputs * 0.25 + 3 * 7 * 2) / 1_000_000;
  const counted = { input_tokens: inputs, output_tokens: 21, cost_usd };
  expect(end?.data["usage"]).toMatchObject({ ...counted, metered: counted, reported: claims });
  expect(ofType(events, "call.start")).toHaveLength(3);
  expect(ofType(events, "call.end")[0]).toMatchObject({
    call: 1,
    connection: "openai",
    status: 200,
    model: "gpt-5-mini",
    counted: "metered",
    output_tokens: 7,
    recorded: false,
  });
  expect(ofType(events, "usage").map(({ source }) => source)).toEqual(["reported", "metered", "metered", "metered"]);
  const listed = await call(url, "GET", `/v1/runs/${run_id}/calls?order=asc`);
  expect((listed.body["data"] as object[]).length).toBe(3);
  expect((listed.body["data"] as object[])[0]).toMatchObject({
    run_id,
    attempt: 1,
    call: 1,
    method: "POST",
    host: `127.0.0.1:${provider.port}`,
    path: "/v1/chat/completions",
    counted: "metered",
    cost_micro_usd: Math.ceil((provider.calls[0]?.tokens[0] ?? 0) * 0.25 + 14),
  });
  const record = await waitFor(async () => {
    const { rows } = await stack.sql.query("SELECT * FROM usage_records WHERE run_id = $1 AND booked_at IS NOT NULL", [
      run_id,
    ]);
    return rows[0] ?? null;
  }, 20_000);
  expect(record).toMatchObject({ input_tokens: String(inputs), output_tokens: "21" });
  expect(Number(record["cost_micro_usd"])).toBe(Math.round(cost_usd * 1_000_000));
});

test("ten parallel calls at the cap overspend by nothing; what is refused isn't sent, and isn't to be repeated", async () => {
  const { answers } = await run({ times: 10, at_once: 10, body: { max_tokens: 50 } }, { budget: { tokens: 450 } });
  const refused = answers.filter(([status]) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(one).toEqual([402, "budget_exceeded", "false"]);
  expect(provider.calls.length).toBe(answers.length - refused.length);
  expect(provider.calls.length).toBeGreaterThan(1);
  expect(billed()).toBeLessThanOrEqual(450);
});

test("a budget in dollars holds, too; an answer without a length is bounded by what is left", async () => {
  const usd = 0.0006;
  const { answers, end } = await run({ times: 10, at_once: 10 }, { budget: { usd } });
  expect(answers.filter(([status]) => status === 200).length).toBeGreaterThan(0);
  const bounds = provider.calls.map(({ body }) => (body as { max_completion_tokens?: number }).max_completion_tokens);
  expect(bounds.every((bound) => bound !== undefined && bound <= (usd / 2) * 1_000_000)).toBe(true);
  expect((end?.data["usage"] as { cost_usd: number } | undefined)?.cost_usd).toBeLessThanOrEqual(usd);
});

test("what can't be metered isn't sent for a run with a budget", async () => {
  const images = { path: "/images/generations" };
  expect((await run({ body: images }, { budget: { usd: 1 } })).answers).toEqual([[402, "not_metered", "false"]]);
  expect((await run({ body: { background: true } })).answers[0]?.slice(0, 2)).toEqual([400, "not_metered"]);
  expect(provider.calls).toEqual([]);
});

test("an owner's spend limit refuses calls before they are sent", async () => {
  const spent = await waitFor(async () => {
    const { rows } = await stack.sql.query(
      "SELECT sum(cost_micro_usd)::int AS spent, count(*) FILTER (WHERE booked_at IS NULL)::int AS open FROM usage_records",
    );
    return rows[0]?.open === 0 ? Number(rows[0].spent) : null;
  }, 20_000);
  const limit = { user_id: "tester", period: "day", amount_micro_usd: spent + 3_000 };
  expect((await call(url, "PUT", "/v1/billing/spend-limit", limit)).status).toBeLessThan(300);
  // A worker knows of the new limit within a second.
  const answers = await waitFor(async () => {
    const asked = await run({ times: 2, body: { max_tokens: 5_000 } });
    return asked.answers.every(([status]) => status === 402) && asked.answers;
  });
  expect(answers).toEqual(Array.from({ length: 2 }, () => [402, "spend_limit_reached", "false"]));
  expect(provider.calls).toEqual([]);
  expect((await run({ body: { max_tokens: 1 } })).answers).toEqual([[200]]);
  await stack.sql.query("DELETE FROM spend_limits");
});

/** Asks a model, and then a person. */
const asksPerson = py`
  import json, os, urllib.request
  from runfleet import interrupt
  def main(input):
      body = json.dumps({"model": "gpt-5-mini", "max_tokens": 1000, "messages": [{"role": "user", "content": "x"}]}).encode()
      urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})).read()
      return interrupt("go on?")
`;

test("what a run has spent that has not ended counts in its owner's limits, on all workers", async () => {
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  onTestFinished(() => db.close());
  onTestFinished(async () => void (await stack.sql.query("DELETE FROM spend_limits")));
  const limit = { user_id: "tester", period: "day", amount_micro_usd: 1_000_000_000 };
  expect((await call(url, "PUT", "/v1/billing/spend-limit", limit)).status).toBeLessThan(300);
  const before = (await readRemainingSpend(db, "tester", null)) ?? 0;
  const usage = { prompt_tokens: 100, completion_tokens: 1_000 };
  const said = JSON.stringify({ model: "gpt-5-mini", choices: [{ message: { content: "y" } }], usage });
  provider.next.push((res) => void res.writeHead(200, { "content-type": "application/json" }).end(said));
  const agent_id = await makeAgent(url, asksPerson, { connections: ["openai"] });
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  expect(events.at(-1)?.event).toBe("run.interrupted");
  expect(before - ((await readRemainingSpend(db, "tester", null)) ?? 0)).toBe(2_025);
});

test("the plan that a run was accepted under bounds its calls, whichever its owner takes meanwhile", async () => {
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  onTestFinished(() => db.close());
  for (const [id, prepaid] of [
    ["paid-ahead", true],
    ["for-nothing", false],
  ] as const)
    expect((await call(url, "PUT", `/v1/billing/plans/${id}`, { name: id, prepaid })).status).toBeLessThan(300);
  const rooms = createRemainingSpend(db);
  const subscribed = await call(url, "POST", "/v1/billing/subscriptions", { plan_id: "for-nothing", user_id: "eve" });
  expect(subscribed.status).toBe(201);
  expect(await rooms.room("eve", "paid-ahead")).toBe(0);
  expect(await rooms.room("eve", "for-nothing")).toBe(Infinity);
  // A run that an earlier version accepted has no plan.
  expect(await rooms.room("eve", null)).toBe(Infinity);
});

test("what a call has cost counts from its end on, also before it is read again", async () => {
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  onTestFinished(() => db.close());
  onTestFinished(async () => void (await stack.sql.query("DELETE FROM spend_limits")));
  const limit = { user_id: "bob", period: "day", amount_micro_usd: 1_000 };
  expect((await call(url, "PUT", "/v1/billing/spend-limit", limit)).status).toBeLessThan(300);
  const rooms = createRemainingSpend(db);
  expect(await rooms.room("bob", null)).toBe(1_000);
  rooms.take("bob", 600);
  expect(await rooms.room("bob", null)).toBe(400);
  rooms.giveBack("bob", 600, 500);
  expect(await rooms.room("bob", null)).toBe(500);
  // Postgres knows of no such call here.
  await expect.poll(() => rooms.room("bob", null), { timeout: 30_000 }).toBe(1_000);
});

test("a call that is written while its run ends is billed with the run", async () => {
  const db = openDb(stack.databaseUrl, 2, () => undefined);
  onTestFinished(() => db.close());
  const agent_id = await makeAgent(url, asks, { connections: ["openai"] });
  let answer = (): void => undefined;
  const usage = { prompt_tokens: 30, completion_tokens: 12 };
  const said = JSON.stringify({ model: "gpt-5-mini", choices: [{ message: { content: "y" } }], usage });
  provider.calls.length = 0;
  provider.next.push(
    (res) => (answer = () => void res.writeHead(200, { "content-type": "application/json" }).end(said)),
  );
  const running = execute(url, { agent_id, version: "current", input_payload: {} }).then((sent) => readEvents(sent));
  await expect.poll(() => provider.calls.length, { timeout: 20_000 }).toBe(1);
  const { rows } = await stack.sql.query("SELECT id FROM runs WHERE agent_id = $1", [agent_id]);
  const run_id = String(rows[0]?.id);
  await insertCall(db, { ...endedCall(run_id, 9, "metered"), cost_micro_usd: 40 });
  answer();
  const end = (await running).at(-1);
  expect([end?.event, end?.data["usage"]]).toEqual(["run.success", expect.objectContaining({ input_tokens: 30 })]);
  const billed = await stack.sql.query(
    "SELECT source, input_tokens::int, output_tokens::int, cost_micro_usd::int FROM usage_records WHERE run_id = $1",
    [run_id],
  );
  const cost_micro_usd = Math.ceil(30 * 0.25 + 12 * 2) + 40;
  expect(billed.rows).toEqual([{ source: "run", input_tokens: 50, output_tokens: 22, cost_micro_usd }]);
});

test("calls beyond a connection's limit wait for their turn, and are answered", async () => {
  await put({ requests_per_minute: 2 });
  onTestFinished(async () => void (await put()));
  const agent_id = await makeAgent(url, asks, { connections: ["openai"] });
  const started = { agent_id, version: "current", input_payload: { times: 3, at_once: 3 } };
  provider.calls.length = 0;
  const accepted = await execute(url, started, { prefer: "respond-async" });
  const { id: run_id } = (await accepted.json()) as { id: string };
  const ended = async () => (await call(url, "GET", `/v1/runs/${run_id}/calls`)).body["data"] as unknown[];
  await waitFor(async () => (await ended()).length === 2, 20_000);
  expect((await call(url, "POST", `/v1/runs/${run_id}/cancel`)).status).toBe(200);
  const events = await readEvents(await resume(url, run_id));
  expect([events.at(-1)?.event, provider.calls.length]).toEqual(["run.cancelled", 2]);
});

test("a call that is cut is estimated, and billed", async () => {
  provider.next.push((res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (let n = 0; n < 5; n += 1)
      res.write(`data: {"model":"gpt-5-mini","choices":[{"index":0,"delta":{"content":"x"}}]}\n\n`);
    setTimeout(() => res.destroy(), 100);
  });
  const { run_id, end } = await run({ body: { stream: true } });
  expect(end?.event).toBe("run.error");
  const listed = await call(url, "GET", `/v1/runs/${run_id}/calls`);
  expect(listed.body["data"]).toEqual([expect.objectContaining({ counted: "estimated", output_tokens: 5 })]);
  expect(end?.data["usage"]).toMatchObject({ output_tokens: 5 });
});

/** Asks a model, and a shop for each of its inputs; says the shop's statuses and how it was answered. */
const buys = py`
  import json, os, urllib.request
  from urllib.error import HTTPError
  def ask(base, path, body, method="POST"):
      data = json.dumps(body).encode() if body is not None else None
      request = urllib.request.Request(os.environ[base] + path, data, {"content-type": "application/json"}, method=method)
      try:
          with urllib.request.urlopen(request, timeout=20) as answer:
              return [answer.status, answer.headers["x-runfleet-recorded"]]
      except HTTPError as error:
          return [error.code, json.loads(error.read())["error"]["message"]]
  def main(input, context):
      ask("OPENAI_BASE_URL", "/chat/completions", {"model": "m", "messages": [{"role": "user", "content": "what to buy?"}]})
      seen = ask("SHOP_BASE_URL", "/stock/echo", None, "GET")
      return {"seen": seen, "bought": [ask("SHOP_BASE_URL", "/orders/echo", {"item": item, "key": os.environ["TOKEN"]}) for item in input["items"]]}
`;

test("a call that a rule names leaves only once a person has said yes, and never twice; the run waits as a row", async () => {
  await call(url, "PUT", "/v1/connections/shop?user_id=tester", { base_url: provider.url, kind: "bearer", secret });
  const approvals = [{ method: "POST", host: "127.0.0.1", path: "/orders/*" }];
  const agent_id = await makeAgent(url, buys, { connections: ["openai", "shop"], approvals });
  provider.calls.length = 0;
  const orders = () => provider.calls.filter(({ path }) => path === "/orders/echo").map(({ body }) => body);
  const env_vars = { TOKEN: "tok-of-the-run-1" };
  const input_payload = { items: ["tea", "gold"] };
  const first = await readEvents(await execute(url, { agent_id, version: "current", input_payload, env_vars }));
  const run_id = String(first[0]?.data["run_id"]);
  const question = first.at(-1);
  const [asked] = question ? (question.data["interrupts"] as Record<string, unknown>[]) : [];
  expect([question?.event, asked?.["reason"]]).toEqual(["run.interrupted", "approval_required"]);
  expect(asked?.["message"]).toBe(
    `POST ${provider.url}/orders/echo\nConnection 'shop', 42 bytes\n{"item": "tea", "key": "[redacted]"}`,
  );
  expect(orders()).toEqual([]);
  const aside = await call(url, "GET", `/v1/runs/${run_id}`);
  expect(aside.body).toMatchObject({ status: "interrupted", worker_id: null });
  const inbox = await call(url, "GET", `/v1/interrupts?agent_id=${agent_id}`);
  expect(inbox.body["data"]).toMatchObject([{ run_id, interrupts: [{ id: asked?.["id"] }] }]);
  const wrong = await call(url, "POST", `/v1/runs/${run_id}/resume`, { response: "yes" });
  expect(wrong.status).toBe(422);

  const goOn = async (response: object, after: string | undefined) => {
    expect((await answerRun(url, run_id, { response })).status).toBe(202);
    return readEvents(await resume(url, run_id, after));
  };
  const second = await goOn({ approved: true }, question?.id);
  expect(second.at(-1)?.event).toBe("run.interrupted");
  expect(JSON.stringify(second.at(-1)?.data)).toContain("gold");
  expect(orders()).toMatchObject([{ item: "tea" }]);
  const third = await goOn({ approved: false, reason: "too dear" }, second.at(-1)?.id);
  expect(third.at(-1)?.data["result_content"]).toEqual({
    seen: [200, null],
    bought: [
      [200, "true"],
      [403, "A person has refused this call: too dear"],
    ],
  });
  expect(orders()).toMatchObject([{ item: "tea" }]);
  expect(provider.calls.filter(({ path }) => path === "/v1/chat/completions")).toHaveLength(1);
});

test("a person's yes is for one call, whatever it is answered, unless the service says that it hasn't done it", async () => {
  await call(url, "PUT", "/v1/connections/shop?user_id=tester", { base_url: provider.url, kind: "bearer", secret });
  const agent_id = await makeAgent(
    url,
    py`
      import json, os, urllib.request
      from urllib.error import HTTPError
      def pay():
          request = urllib.request.Request(os.environ["SHOP_BASE_URL"] + "/orders/echo", b'{"usd":5}', {"content-type": "application/json"})
          try:
              with urllib.request.urlopen(request, timeout=20) as answer: return answer.status
          except HTTPError as error: return error.code
      def main(input): return [pay() for _ in range(4)]
    `,
    { connections: ["shop"], approvals: [{ path: "/orders/*" }] },
  );
  provider.calls.length = 0;
  const answers = [503, 409];
  for (const status of answers) provider.next.push((res) => void res.writeHead(status).end("{}"));
  const asked = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  const run_id = String(asked[0]?.data["run_id"]);
  expect([asked.at(-1)?.event, provider.calls.length]).toEqual(["run.interrupted", 0]);
  expect((await answerRun(url, run_id, { response: { approved: true } })).status).toBe(202);
  const again = await readEvents(await resume(url, run_id, asked.at(-1)?.id));
  // The call that was refused for now, and the one that was refused for good. The third needs a yes of its own.
  expect([again.at(-1)?.event, provider.calls.length]).toEqual(["run.interrupted", 2]);
});

/** Pays as often as it is told, says how it was answered, and may fail then. */
const pays = py`
  import json, os, urllib.request
  from urllib.error import HTTPError
  def pay():
      request = urllib.request.Request(os.environ["SHOP_BASE_URL"] + "/orders/echo", b'{"usd":5}', {"content-type": "application/json"})
      try:
          with urllib.request.urlopen(request, timeout=20) as answer: return answer.status
      except HTTPError as error: return error.code
  def main(input):
      paid = [pay() for _ in range(input["times"])]
      if input.get("fails"): raise ValueError("after it has paid")
      return paid
`;

async function asksToPay(input_payload: object, config: object = {}) {
  await call(url, "PUT", "/v1/connections/shop?user_id=tester", { base_url: provider.url, kind: "bearer", secret });
  const asked = { connections: ["shop"], approvals: [{ path: "/orders/*" }], ...config };
  const agent_id = await makeAgent(url, pays, asked);
  provider.calls.length = 0;
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload }));
  expect([events.at(-1)?.event, provider.calls.length]).toEqual(["run.interrupted", 0]);
  const run_id = String(events[0]?.data["run_id"]);
  let last = events.at(-1)?.id;
  return async () => {
    expect((await answerRun(url, run_id, { response: { approved: true } })).status).toBe(202);
    const more = await readEvents(await resume(url, run_id, last));
    last = more.at(-1)?.id;
    return more.at(-1);
  };
}

test("a call that a person has let go isn't made again, however often its run fails after it", async () => {
  const approve = await asksToPay({ times: 1, fails: true }, { retry: { max_attempts: 4, delay_ms: 0 } });
  expect([(await approve())?.event, provider.calls.length]).toEqual(["run.error", 1]);
});

test("a call that breaks off after it has left uses up its yes: another try needs a new one", async () => {
  const approve = await asksToPay({ times: 2 });
  provider.next.push((res) => void res.destroy());
  expect([(await approve())?.event, provider.calls.length]).toEqual(["run.interrupted", 1]);
  const end = await approve();
  expect([end?.data["result_content"], provider.calls.length]).toEqual([{ output: [502, 200] }, 2]);
});

test("a call that its run doesn't wait for is metered by itself", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      import json, os, threading, time, urllib.request
      body = json.dumps({"model": "gpt-5-mini", "messages": [{"role": "user", "content": "late"}]}).encode()
      def ask(): urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"}))
      def main(input):
          threading.Thread(target=ask, daemon=True).start()
          time.sleep(1)
          return "gone"
    `,
    { connections: ["openai"] },
  );
  let answer = (): void => undefined;
  const usage = { prompt_tokens: 30, completion_tokens: 12 };
  const said = JSON.stringify({ model: "gpt-5-mini", choices: [{ message: { content: "late" } }], usage });
  provider.next.push(
    (res) => (answer = () => void res.writeHead(200, { "content-type": "application/json" }).end(said)),
  );
  const events = await readEvents(await execute(url, { agent_id, version: "current", input_payload: {} }));
  expect(events.at(-1)?.event).toBe("run.success");
  answer();
  const metered = async () => {
    const text = `SELECT source, input_tokens::int, output_tokens::int, cost_micro_usd > 0 AS costs FROM usage_records
      WHERE run_id = $1 ORDER BY source`;
    return (await stack.sql.query(text, [events[0]?.data["run_id"]])).rows;
  };
  await waitFor(async () => (await metered()).length === 2, 20_000);
  expect((await metered())[0]).toEqual({ source: "call", input_tokens: 30, output_tokens: 12, costs: true });
});

/** Starts a run of an agent for each input, and says what their calls were answered. */
const starts = py`
  def main(input, context):
      ended = context.map(input["agent"], [{"times": 2, "at_once": 2, "body": {"max_tokens": 50}}] * 5)
      return {"answers": [answer for one in ended for answer in one["answers"]]}
`;

test("the runs of a tree, of a thread and of an agent's day share a budget: calls in parallel overspend it by nothing", async () => {
  const tokens = 450;
  const child = await makeAgent(url, asks, { connections: ["openai"] });
  const parent = await makeAgent(url, starts, { connections: ["openai"], budget: { tree: { tokens } } });
  provider.calls.length = 0;
  const input_payload = { agent: child };
  const tree = await readEvents(await execute(url, { agent_id: parent, version: "current", input_payload }));
  const answers = answersOf(tree);
  const refused = answers.filter(([status]) => status !== 200);
  expect([answers.length, refused.length > 0, provider.calls.length]).toEqual([10, true, 10 - refused.length]);
  for (const one of refused) expect(one).toEqual([402, "budget_exceeded", "false"]);
  expect(provider.calls.length).toBeGreaterThan(1);
  expect(billed()).toBeLessThanOrEqual(tokens);

  const daily = await makeAgent(url, asks, { connections: ["openai"], budget: { agent_day: { tokens } } });
  const started = {
    agent_id: daily,
    version: "current",
    input_payload: { times: 5, at_once: 5, body: { max_tokens: 50 } },
  };
  provider.calls.length = 0;
  await Promise.all([1, 2].map(async () => readEvents(await execute(url, started))));
  expect(provider.calls.length).toBeGreaterThan(1);
  expect(billed()).toBeLessThanOrEqual(tokens);

  const talks = await makeAgent(url, asks, { connections: ["openai"], budget: { thread: { usd: 0.000_15 } } });
  const { body: thread } = await call(url, "POST", "/v1/threads", { user_id: "tester" });
  const turn = {
    agent_id: talks,
    version: "current",
    thread_id: thread["id"],
    input_payload: { body: { max_tokens: 50 } },
  };
  const statuses: unknown[] = [];
  for (let n = 0; n < 4; n += 1) {
    const events = await readEvents(await execute(url, turn));
    statuses.push(answersOf(events)[0]?.[0]);
  }
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 402]);
});

const endedCall = (run_id: string, number: number, counted: string | null): NewCall => ({
  ...{
    id: `call_${number}`,
    run_id,
    attempt: 1,
    call: number,
    connection: "openai",
    method: "POST",
    host: "h",
    path: "/",
  },
  ...{
    status: 200,
    model: "m",
    counted,
    is_untold: counted === "unknown",
    cached_tokens: 0,
    cost_micro_usd: null,
    duration_ms: 1,
    recorded: false,
  },
  ...{ input_tokens: counted === "metered" ? 20 : 0, output_tokens: counted === "metered" ? 10 : 0 },
  ...{ request_bytes: 1, response_bytes: 1, open_key: null },
});

/** Another sample each day; `npm run attack -- --only gateway` plays all. */
const day = Math.floor(Date.now() / 86_400_000);
test(`agents that forge, borrow or overspend get nothing (sample ${day})`, async () => {
  // A flood takes the machine from the tests beside this one.
  const quiet = gatewayAttacks.filter((attack) => attack.class !== "exhaust");
  for (const attack of shuffled(quiet, createRandom(`${day}/gateway`)).slice(0, 2))
    expect(await playGatewayAttack({ url, service: attacked }, attack)).toMatchObject({
      name: attack.name,
      faults: [],
    });
}, 120_000);

test("workers that reserve at the same time overspend a shared budget by nothing; what a call has cost less is given back", async () => {
  const open = () => openDb(stack.databaseUrl, 4, () => undefined);
  const workers = [open(), open()];
  const budget = { kind: "tree", subject: "run_root", tokens: 450, micro_usd: 1_000 } as const;
  const [one, other] = workers as [Db, Db];
  const reserve = (db: Db, run_id: string, number: number) =>
    reserveShared(db, { run_id, attempt: 1, call: number }, [budget], { tokens: 100, micro_usd: 50 });
  const got: number[] = [];
  const tryOne = async (db: Db, n: number) => {
    if (await reserve(db, `run_${n % 4}`, n)) got.push(n);
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => tryOne(n % 2 === 0 ? one : other, n)));
  expect(got).toHaveLength(4);
  const left = () => readSharedRoom(one, "run_x", [budget]);
  expect(await left()).toEqual([{ kind: "tree", tokens: 50, micro_usd: 800, is_held: true }]);
  const ends = ["metered", "unknown", null, "metered"];
  for (const [at, n] of got.entries()) await insertCall(other, endedCall(`run_${n % 4}`, n, ends[at] ?? null));
  // 30 and 30 tokens that were counted, nothing, and 100 that nobody knows of.
  expect(await left()).toMatchObject([{ tokens: 290, is_held: false }]);
  expect(await reserve(one, "run_9", 1)).toBe(true);
  expect(await left()).toMatchObject([{ tokens: 190, is_held: true }]);
  await Promise.all(workers.map((db) => db.close()));
});
