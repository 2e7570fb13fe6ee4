import { expect, test } from "vitest";
import { call, execute, makeAgent, readEvents } from "../../harness/client.ts";
import { py } from "../../harness/py.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const stack = await useTestStack();
const { url } = await stack.startService();

const key = (name: string) => ({ "idempotency-key": name });
const body = { user_id: "ada", name: "a" };
const count = async (table: string) => Number((await stack.sql.query(`SELECT count(*) FROM ${table}`)).rows[0].count);

test("a repeated POST gives the first answer again and makes nothing", async () => {
  const first = await call(url, "POST", "/v1/agents", body, key("k1"));
  const before = await count("agents");
  const second = await call(url, "POST", "/v1/agents", body, key("k1"));
  expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
  expect([first.headers.get("idempotency-replayed"), second.headers.get("idempotency-replayed")]).toEqual([
    null,
    "true",
  ]);
  expect(await count("agents")).toBe(before);
});

test("of 20 at once with one key, one is done; the others get its answer or a 409", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call(url, "POST", "/v1/agents", { user_id: "ada", name: "many" }, key("k2"))),
  );
  const made = answers.filter(({ status }) => status === 201).map((answer) => answer.body["id"]);
  expect(new Set(made).size).toBe(1);
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect((await stack.sql.query("SELECT id FROM agents WHERE name = 'many'")).rows).toHaveLength(1);
});

test("the same key with another body is a 422 that names the header", async () => {
  await call(url, "POST", "/v1/agents", body, key("k3"));
  const answer = await call(url, "POST", "/v1/agents", { ...body, name: "b" }, key("k3"));
  expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "idempotency-key"] }] } });
});

test("a refused request leaves its key free", async () => {
  await call(url, "POST", "/v1/agents", { ...body, id: "taken", user_id: "bob" });
  const refused = { ...body, id: "taken" };
  expect((await call(url, "POST", "/v1/agents", refused, key("k4"))).status).toBe(409);
  expect((await call(url, "POST", "/v1/agents", { ...body, id: "free" }, key("k4"))).status).toBe(201);
});

test("a key whose first request died unanswered is taken over after a minute, and any key is free after a day", async () => {
  await call(url, "POST", "/v1/agents", body, key("k6"));
  const again = () => call(url, "POST", "/v1/agents", body, key("k6"));
  const change = (set: string) => stack.sql.query(`UPDATE idempotency_keys SET ${set} WHERE key = 'k6'`);
  await change("status_code = NULL, response = NULL");
  expect(await again()).toMatchObject({ status: 409, body: { code: "request_in_progress" } });
  await change("created_at = now() - interval '2 minutes'");
  const taken = await again();
  expect([taken.status, taken.headers.get("idempotency-replayed")]).toEqual([201, null]);
  await change("expires_at = now() - interval '1 second'");
  const other = await call(url, "POST", "/v1/agents", { ...body, name: "another" }, key("k6"));
  expect(other).toMatchObject({ status: 201, body: { name: "another" } });
});

test("a secret that is shown once is kept sealed for its repeat", async () => {
  const first = await call(url, "POST", "/v1/users/me/callback-secret", { user_id: "ada" }, key("k5"));
  const second = await call(url, "POST", "/v1/users/me/callback-secret", { user_id: "ada" }, key("k5"));
  expect(second.body).toEqual(first.body);
  const { rows } = await stack.sql.query("SELECT response::text AS text FROM idempotency_keys WHERE key = 'k5'");
  expect(rows[0].text).not.toContain(String(first.body["secret"]).slice(6, 20));
});

test("a repeated execute attaches to the run of the first, whatever the answer's form", async () => {
  const agent_id = await makeAgent(
    url,
    py`
      def main(input):
          yield 'x'
          return {}
    `,
  );
  const request = { agent_id, version: "current" };
  const first = await execute(url, request, key("e1"));
  const events = await readEvents(first);
  const second = await execute(url, request, key("e1"));
  expect([second.status, second.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expect(await readEvents(second)).toEqual(events);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  const waited = await call(url, "POST", "/v1/execute", request, { ...key("e1"), prefer: "wait=5" });
  expect(waited.body["id"]).toBe(first.headers.get("x-run-id"));
  const other = await call(url, "POST", "/v1/execute", { ...request, input_payload: { a: 1 } }, key("e1"));
  expect(other).toMatchObject({ status: 422, body: { detail: [{ loc: ["header", "idempotency-key"] }] } });
});

test("what was accepted stays so: a repeat has its run, also when the agent is paused or gone since", async () => {
  const agent_id = await makeAgent(url, "def main(input): return 1");
  const send = (asked: object, headers: Record<string, string> = {}) =>
    call(url, "POST", "/v1/execute", { agent_id, version: "current", ...asked }, { prefer: "wait=30", ...headers });
  const byId = await send({ run_id: "kept-by-id" });
  const byKey = await send({}, key("k-paused"));
  expect([byId.body["status"], byKey.body["status"]]).toEqual(["success", "success"]);
  const repeats = async () => [
    (await send({ run_id: "kept-by-id" })).body["id"],
    (await send({}, key("k-paused"))).body["id"],
  ];
  await call(url, "POST", `/v1/agents/${agent_id}/pause`);
  expect(await repeats()).toEqual(["kept-by-id", byKey.body["id"]]);
  const refused = await send({});
  expect([refused.status, refused.body["code"]]).toEqual([409, "agent_not_active"]);
  const other = await send({ run_id: "kept-by-id", input_payload: { n: 1 } });
  expect([other.status, other.body["code"]]).toEqual([409, "agent_not_active"]);
  expect((await send({ input_payload: { n: 1 } }, key("k-paused"))).status).toBe(409);
  await call(url, "POST", `/v1/agents/${agent_id}/resume`);
  expect((await call(url, "DELETE", `/v1/agents/${agent_id}`)).status).toBeLessThan(300);
  expect(await repeats()).toEqual(["kept-by-id", byKey.body["id"]]);
});

test("what a caller changes is noted in the audit log, without bodies", async () => {
  const { body: agent } = await call(
    url,
    "POST",
    "/v1/agents",
    { ...body, name: "noted" },
    { "x-request-id": "req-7" },
  );
  const { rows } = await stack.sql.query("SELECT * FROM audit_log WHERE request_id = 'req-7'");
  expect(rows).toEqual([
    expect.objectContaining({
      user_id: "ada",
      actor: "open",
      action: "create_agent",
      target_type: "agent",
      target_id: agent["id"],
      detail: { version: "1.0.0" },
    }),
  ]);
});

test("beyond the limit a caller gets 429 with Retry-After, counted over all API processes, without Redis too", async () => {
  const env = { RATE_LIMIT_PER_MINUTE: "10" };
  const [one, two] = await Promise.all([stack.openApi(env), stack.start("api", env)]);
  const away = await stack.openApi({ ...env, REDIS_URL: "redis://127.0.0.1:1" });
  const ask = async (at: string) => (await fetch(`${at}/v1/runs`)).status;
  const asked: number[] = [];
  for (let i = 0; i < 12; i += 1) asked.push(await ask(i % 2 ? one.url : two.url));
  expect(asked.filter((status) => status === 200)).toHaveLength(10);
  const refused = await fetch(`${one.url}/v1/runs`);
  expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
  expect((await fetch(`${one.url}/health/live`)).status).toBe(200);
  const alone: number[] = [];
  for (let i = 0; i < 12; i += 1) alone.push(await ask(away.url));
  expect(alone.filter((status) => status === 429)).toHaveLength(2);
});
