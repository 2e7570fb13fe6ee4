import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call } from "../../harness/client.ts";
import { type OpenedApi, useTestStack } from "../../harness/test-stack.ts";

const admin = randomBytes(32).toString("hex");

const start = (env: Record<string, string>): Promise<OpenedApi> =>
  stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, ...env });
const most = "3";

const stack = await useTestStack();
const perUser = ["KEYS", "AGENTS", "DAEMONS", "JOBS", "THREADS", "WEBHOOKS", "HOOKS", "CONNECTIONS"].map(
  (name) => `${name}_PER_USER`,
);
const url = (await start(Object.fromEntries(perUser.map((name) => [name, most])))).url;

const as =
  (key: string, to = url) =>
  (method: string, path: string, body?: unknown) =>
    call(to, method, path, body, { authorization: `Bearer ${key}` });

async function makeKey(user_id: string): Promise<string> {
  const { body } = await as(admin)("POST", "/v1/users/me/api-keys", { user_id, name: "k" });
  return String(body["key"]);
}

/** Sends ten at once, and gives how many were made; the others are a 409 of this code. */
async function madeOfTen(code: string, ask: (n: number) => ReturnType<typeof call>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(n)));
  const refused = answers.filter(({ status }) => status === 409);
  expect(refused.map(({ body }) => body["code"])).toEqual(refused.map(() => code));
  expect(answers.filter(({ status }) => ![200, 201, 409].includes(status))).toEqual([]);
  return answers.length - refused.length;
}

test("a user has a limited number of live keys, however many are asked for at once; a revoked one makes room", async () => {
  const ask = as(await makeKey("ada"));
  expect(await madeOfTen("too_many_keys", () => ask("POST", "/v1/users/me/api-keys", { name: "more" }))).toBe(2);
  const { rows } = await stack.sql.query("SELECT id FROM api_keys WHERE user_id = 'ada' AND revoked_at IS NULL");
  expect(rows).toHaveLength(3);
  const other = rows.map(({ id }) => String(id)).find((id) => id !== "");
  expect((await as(admin)("DELETE", `/v1/users/me/api-keys/${other}`)).status).toBe(204);
  expect(await madeOfTen("too_many_keys", () => as(admin)("POST", "/v1/users/me/api-keys", { user_id: "ada" }))).toBe(
    1,
  );
  expect((await as(admin)("POST", "/v1/users/me/api-keys", { user_id: "bob" })).status).toBe(201);
});

test("so with agents, webhooks, hooks, connections, jobs, threads with their forks, and started daemons", async () => {
  const ask = as(await makeKey("cy"));
  const config = { source: "def main(input): return 1" };
  const agents: string[] = [];
  expect(
    await madeOfTen("too_many_agents", async (n) => {
      const answer = await ask("POST", "/v1/agents", { user_id: "cy", name: `a${n}`, config });
      if (answer.status === 201) agents.push(String(answer.body["id"]));
      return answer;
    }),
  ).toBe(3);
  const [agent_id = ""] = agents;
  const next = { version: "2.0.0", config };
  expect((await ask("POST", `/v1/versions/${agent_id}`, next)).status).toBe(201);
  const webhook = { url: "http://127.0.0.1:9/", events: ["run.error"] };
  expect(await madeOfTen("too_many_webhooks", () => ask("POST", "/v1/webhooks", webhook))).toBe(3);
  const hook = { agent_id, verify: "github" };
  expect(await madeOfTen("too_many_hooks", () => ask("POST", "/v1/hooks", hook))).toBe(3);
  const connection = { preset: "openai", secret: "sk-12345678" };
  expect(await madeOfTen("too_many_connections", (n) => ask("PUT", `/v1/connections/c${n}`, connection))).toBe(3);
  const job = { agent_id, version: "current", schedule: "@yearly" };
  expect(await madeOfTen("too_many_jobs", () => ask("POST", "/v1/jobs", job))).toBe(3);
  expect((await ask("POST", "/v1/threads", { thread_id: "cy-1", user_id: "cy" })).status).toBe(201);
  expect(
    await madeOfTen("too_many_threads", (n) =>
      n % 2 === 0 ? ask("POST", "/v1/threads", { user_id: "cy" }) : ask("POST", "/v1/threads/cy-1/fork", {}),
    ),
  ).toBe(2);
  expect((await ask("POST", "/v1/threads", { thread_id: "cy-1", if_exists: "do_nothing" })).status).toBe(200);
});

test("one more daemon than a user may have isn't started, and a stopped one makes room", async () => {
  const ids = await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      const id = `daemon-${n}`;
      await stack.sql.query("INSERT INTO users (id) VALUES ('dora') ON CONFLICT DO NOTHING");
      await stack.sql.query(
        "INSERT INTO agents (id, user_id, name, current_version) VALUES ($1, 'dora', 'd', '1.0.0')",
        [id],
      );
      await stack.sql.query("INSERT INTO agent_versions (agent_id, version, config) VALUES ($1, '1.0.0', '{}')", [id]);
      return id;
    }),
  );
  const ask = as(await makeKey("dora"));
  const started = await Promise.all(ids.map((agent_id) => ask("POST", "/v1/daemons", { agent_id })));
  expect(started.filter(({ status }) => status === 201)).toHaveLength(3);
  const refused = ids.filter((_, n) => started[n]?.status === 409);
  expect(refused).toHaveLength(2);
  const running = ids.find((_, n) => started[n]?.status === 201);
  expect((await ask("POST", `/v1/daemon/${running}/stop`, {})).status).toBe(200);
  expect((await ask("POST", `/v1/daemon/${refused[0]}/start`, {})).status).toBe(200);
  expect((await ask("POST", `/v1/daemon/${refused[1]}/start`, {})).body["code"]).toBe("too_many_daemons");
});

test("all keys of a user share one limit of requests, and a large body counts as several", async () => {
  const limited = (await start({ RATE_LIMIT_PER_MINUTE: "30" })).url;
  const [one, two, other] = [await makeKey("eve"), await makeKey("eve"), await makeKey("fay")];
  const ask = (key: string) => as(key, limited)("GET", "/v1/users/me");
  const statuses: number[] = [];
  for (let n = 0; n < 40; n += 1) statuses.push((await ask(n % 2 === 0 ? one : two)).status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(30);
  expect((await ask(other)).status).toBe(200);
  const large = { name: "x", metadata: {}, config: { source: "#".repeat(2_500_000) } };
  const refused = await as(other, limited)("POST", "/v1/agents", large);
  expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  // One that weighs more than the limit takes a whole minute, also of a key with a limit of its own.
  for (const more of [{}, { requests_per_minute: 10 }]) {
    const user_id = `gil-${Object.keys(more).length}`;
    const { body } = await as(admin)("POST", "/v1/users/me/api-keys", { user_id, ...more });
    const gil = String(body["key"]);
    // It is read: no version has so long a source.
    expect((await as(gil, limited)("POST", "/v1/agents", large)).status).toBe(422);
    expect((await ask(gil)).body["code"]).toBe("rate_limited");
  }
});

test("a fork counts as many requests as it copies MiB, and copies no more than 64 of them", async () => {
  const limited = (await start({ RATE_LIMIT_PER_MINUTE: "60" })).url;
  const hold = async (user_id: string, id: string, mib: number): Promise<string> => {
    await stack.sql.query("INSERT INTO threads (id, user_id) VALUES ($1, $2)", [id, user_id]);
    await stack.sql.query(
      `INSERT INTO thread_messages (thread_id, role, content, bytes)
       SELECT $1, 'user', '{}', $2::int * 1048576 FROM generate_series(1, 5)`,
      [id, mib / 5],
    );
    return makeKey(user_id);
  };
  const fork = (key: string, id: string) => as(key, limited)("POST", `/v1/threads/${id}/fork`, {});
  const ivo = await hold("ivo", "of-ivo", 40);
  expect((await fork(ivo, "of-ivo")).status).toBe(201);
  expect(await fork(ivo, "of-ivo")).toMatchObject({ status: 429, body: { code: "rate_limited" } });
  const jan = await hold("jan", "of-jan", 65);
  expect(await fork(jan, "of-jan")).toMatchObject({ status: 409, body: { code: "thread_too_large" } });
  const copy = await as(jan, limited)("POST", "/langgraph/threads/of-jan/copy", {});
  expect(copy.status).toBe(409);
});

test("a user has a limited number of open streams with all keys; the others are told when to come again", async () => {
  const few = (await start({ STREAMS_PER_USER: "3" })).url;
  const keys = [await makeKey("gil"), await makeKey("gil")];
  const gone = new AbortController();
  const open = (key: string | undefined) =>
    fetch(`${few}/v1/notifications/stream`, { headers: { authorization: `Bearer ${key}` }, signal: gone.signal });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => open(keys[n % 2])));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
  const [refused] = answers.filter(({ status }) => status === 429);
  expect(refused?.headers.get("retry-after")).toBe("5");
  expect(await refused?.json()).toMatchObject({ code: "too_many_streams" });
  const run = { agent_id: "none", version: "1", input_payload: {} };
  expect((await as(String(keys[0]), few)("POST", "/v1/execute", run)).body["code"]).toBe("too_many_streams");
  // What waits for the end of a run that it cancels is counted, too. The run is cancelled all the same.
  await stack.sql.query("INSERT INTO threads (id, user_id) VALUES ('gils', 'gil')");
  await stack.sql.query(
    `INSERT INTO runs (id, user_id, agent_id, thread_id, version, status, attempt, max_attempts, adapter_type, runtime_mode, lifecycle,
       timeout_ms, input_payload, history, files, request_hash, expires_at)
     SELECT id, 'gil', 'none', 'gils', '1', 'queued', 0, 3, 'python', 'standard', 'serverless', 1000, '{}', '[]', '[]', '',
       now() + interval '1 h' FROM unnest($1::text[]) AS id`,
    [["waited", "rolled-back", "task"]],
  );
  for (const path of ["waited/cancel?wait=1", "rolled-back/cancel?action=rollback"])
    expect((await as(String(keys[0]), few)("POST", `/langgraph/threads/gils/runs/${path}`)).status).toBe(429);
  const cancel = { jsonrpc: "2.0", id: 1, method: "CancelTask", params: { id: "task" } };
  const newest = { authorization: `Bearer ${keys[0]}`, "a2a-version": "1.0" };
  expect((await call(few, "POST", "/a2a/none", cancel, newest)).status).toBe(429);
  const { rows } = await stack.sql.query("SELECT DISTINCT status FROM runs WHERE thread_id = 'gils'");
  expect(rows).toEqual([{ status: "cancelled" }]);
  const other = await fetch(`${few}/v1/notifications/stream`, {
    headers: { authorization: `Bearer ${await makeKey("hal")}` },
    signal: gone.signal,
  });
  expect(other.status).toBe(200);
  gone.abort();
  await expect.poll(async () => (await as(String(keys[0]), few)("POST", "/v1/execute", run)).status).toBe(404);
});

test("behind a proxy that is named each client has its own address; another's word for an address doesn't count", async () => {
  const limit = { RATE_LIMIT_PER_MINUTE: "3" };
  const [behind, direct] = await Promise.all([start({ ...limit, TRUSTED_PROXIES: "127.0.0.0/8, ::1" }), start(limit)]);
  const guess = async (to: string, address: string): Promise<number> => {
    const headers = { authorization: "Bearer wrong", "x-forwarded-for": address };
    return (await call(to, "GET", "/v1/agents", undefined, headers)).status;
  };
  const guessUntilRefused = async (to: string, address: string): Promise<void> => {
    for (let n = 0; n < 10; n += 1) if ((await guess(to, address)) === 429) return;
    throw new Error("Ten guesses are more than the limit.");
  };
  await guessUntilRefused(behind.url, "198.51.100.1");
  expect(await guess(behind.url, "198.51.100.2")).toBe(401);
  // A client can say what it likes of itself: what the proxy adds comes last.
  expect(await guess(behind.url, "198.51.100.2, 198.51.100.1")).toBe(429);
  await guessUntilRefused(direct.url, "198.51.100.3");
  expect(await guess(direct.url, "198.51.100.4")).toBe(429);
});

test("a large body counts as several requests where anybody may send one: of its address, and of its hook", async () => {
  const large = `{"a":"${"x".repeat(3_000_000)}"}`;
  const send = async (to: string, hook: string, address: string): Promise<number> => {
    const headers = { "content-type": "application/json", "x-forwarded-for": address };
    return (await fetch(`${to}/hooks/${hook}`, { method: "POST", headers, body: large })).status;
  };
  const sendUntilRefused = async (most: number, ...to: Parameters<typeof send>): Promise<void> => {
    for (let n = 0; n < most; n += 1) if ((await send(...to)) === 429) return;
    throw new Error(`None of ${most} was refused.`);
  };
  const proxied = { TRUSTED_PROXIES: "127.0.0.0/8, ::1" };
  const { url: limited } = await start({ ...proxied, RATE_LIMIT_PER_MINUTE: "60" });
  await sendUntilRefused(5, limited, "none", "198.51.100.11");
  expect(await send(limited, "none", "198.51.100.12")).toBe(404);

  const ask = as(await makeKey("ken"));
  const source = "def main(i): return i";
  const { body: agent } = await ask("POST", "/v1/agents", { user_id: "ken", name: "a", config: { source } });
  const filter = { "/body/a": "y" };
  const { status, body: hook } = await ask("POST", "/v1/hooks", { agent_id: agent["id"], verify: "none", filter });
  expect(status).toBe(201);
  const { url: free } = await start({ RATE_LIMIT_PER_MINUTE: "0" });
  expect(await send(free, String(hook["id"]), "::1")).toBe(200);
  // A hook takes 1,200 a minute.
  await sendUntilRefused(60, free, String(hook["id"]), "::1");
}, 60_000);

test("a plan's queue has room for so many runs, delayed ones among them; one that is cancelled makes room", async () => {
  const { url: idle } = await start({ EXPECTED_ADAPTERS: "python" });
  const root = as(admin, idle);
  const { body } = await root("POST", "/v1/users/me/api-keys", { user_id: "quinn" });
  await root("PUT", "/v1/billing/plans/short-queue", { name: "Short queue", max_queued_runs: 2 });
  await root("POST", "/v1/billing/subscriptions", { user_id: "quinn", plan_id: "short-queue" });
  const ask = as(String(body["key"]), idle);
  const config = { source: "def main(input): return 1" };
  const { id: agent_id } = (await ask("POST", "/v1/agents", { user_id: "quinn", name: "a", config })).body;
  const run = (more: object) =>
    call(
      idle,
      "POST",
      "/v1/execute",
      { agent_id, version: "current", ...more },
      { authorization: `Bearer ${String(body["key"])}`, prefer: "respond-async" },
    );
  const later = { delay_ms: 60_000 };
  const first = await run(later);
  expect([first.status, (await run({})).status]).toEqual([202, 202]);
  for (const more of [later, {}])
    expect(await run(more)).toMatchObject({ status: 429, body: { code: "too_many_queued_runs" } });
  await ask("POST", `/v1/runs/${String(first.body["id"])}/cancel`);
  expect((await run(later)).status).toBe(202);
});

test("a plan has its own limit of requests for each of its users, and a key may have a lower one", async () => {
  const { url: limited } = await start({ RATE_LIMIT_PER_MINUTE: "500" });
  const root = as(admin, limited);
  await root("PUT", "/v1/billing/plans/slow", { name: "Slow", requests_per_minute: 6 });
  const made = async (user_id: string, more: Record<string, unknown> = {}) => {
    const { status, body } = await root("POST", "/v1/users/me/api-keys", { user_id, ...more });
    expect(status).toBe(201);
    return { key: String(body["key"]), limit: body["requests_per_minute"] };
  };
  const slow = await made("slow-user");
  expect((await as(slow.key, limited)("GET", "/v1/users/me/limits")).body["requests_per_minute"]).toBe(500);
  await root("POST", "/v1/billing/subscriptions", { user_id: "slow-user", plan_id: "slow" });
  const ask = async (key: string): Promise<unknown> => {
    const { status, headers, body } = await as(key, limited)("GET", "/v1/users/me/limits");
    return status === 429 ? [body["code"], Number(headers.get("retry-after")) <= 60] : body["requests_per_minute"];
  };
  // One was counted before the plan; all keys of the user share the limit.
  const other = await made("slow-user");
  const answers: unknown[] = [];
  for (let n = 0; n < 8; n += 1) answers.push(await ask(n % 2 ? slow.key : other.key));
  const refused = ["rate_limited", true];
  expect(answers).toEqual([6, 6, 6, 6, 6, refused, refused, refused]);

  const narrow = await made("free-user", { requests_per_minute: 2 });
  expect(narrow.limit).toBe(2);
  const wide = await made("free-user");
  expect([await ask(narrow.key), await ask(narrow.key), await ask(narrow.key)]).toEqual([2, 2, refused]);
  expect(await ask(wide.key)).toBe(500);
  const child = await made("free-user", { requests_per_minute: 3 });
  const { body } = await as(child.key, limited)("POST", "/v1/users/me/api-keys", { requests_per_minute: 100 });
  expect(body["requests_per_minute"]).toBe(3);
});
