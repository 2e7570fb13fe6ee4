import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { call, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const admin = randomBytes(32).toString("hex");

const stack = await useTestStack();
const [{ url: open }, { url }] = await Promise.all([
  stack.startService(),
  stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin }),
]);

const as = (key: string) => (method: string, path: string, body?: unknown) =>
  call(url, method, path, body, { authorization: `Bearer ${key}` });
const asAdmin = as(admin);

async function makeUser(id: string) {
  await asAdmin("POST", "/v1/users", { id });
  const { body } = await asAdmin("POST", "/v1/users/me/api-keys", { user_id: id, name: "first" });
  return { ask: as(String(body["key"])), key: body };
}

test("the bootstrap key makes a user and a key, and with that the user works", async () => {
  const made = await asAdmin("POST", "/v1/users", { id: "ada", name: "Ada", email: "ada@example.com" });
  expect(made).toMatchObject({ status: 201, body: { id: "ada", object: "user", name: "Ada", metadata: {} } });
  expect(await asAdmin("POST", "/v1/users", { id: "ada" })).toMatchObject({
    status: 409,
    body: { code: "user_exists" },
  });
  const { body } = await asAdmin("POST", "/v1/users/me/api-keys", { user_id: "ada", name: "laptop" });
  expect(body["key"]).toMatch(/^rf_[0-9a-f]{32}_[0-9a-f]{64}$/);
  const ada = as(String(body["key"]));
  expect((await ada("GET", "/v1/users/me")).body).toMatchObject({ id: "ada", email: "ada@example.com" });
  expect((await ada("POST", "/v1/agents", { user_id: "ada", name: "a" })).status).toBe(201);
  expect((await ada("GET", "/v1/users")).status).toBe(403);
});

test("keys are listed without secrets, give no more than their maker has, and can be revoked", async () => {
  const { ask, key } = await makeUser("bob");
  const limited = (await ask("POST", "/v1/users/me/api-keys", { scopes: ["users:write", "runs:read"] })).body;
  const list = await ask("GET", "/v1/users/me/api-keys");
  expect(list.body["data"]).toMatchObject([{ id: limited["id"] }, { id: key["id"], name: "first", revoked_at: null }]);
  expect(JSON.stringify(list.body)).not.toContain("hash");
  const byLimited = as(String(limited["key"]));
  for (const scope of ["*", "agents:write", "admin"])
    expect((await byLimited("POST", "/v1/users/me/api-keys", { scopes: [scope] })).status).toBe(403);
  expect((await byLimited("POST", "/v1/users/me/api-keys", { scopes: ["runs:read"] })).status).toBe(201);
  expect((await ask("POST", "/v1/users/me/api-keys", { scopes: ["admin"] })).status).toBe(403);
  expect((await ask("POST", "/v1/users/me/api-keys", { scopes: ["nonsense"] })).status).toBe(422);
  expect((await ask("DELETE", `/v1/users/me/api-keys/${String(limited["id"])}`)).status).toBe(204);
  expect((await byLimited("GET", "/v1/runs")).status).toBe(401);
  expect(await ask("POST", "/v1/users/me/api-keys", { expires_at: "2020-01-01T00:00:00Z" })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ["body", "expires_at"] }] },
  });
});

test("a key that expires makes no key that outlives it, nor does a session that it began", async () => {
  const { ask } = await makeUser("ivy");
  const [soon, later] = [1, 2].map((hours) => new Date(Date.now() + hours * 1_800_000).toISOString());
  const { body } = await ask("POST", "/v1/users/me/api-keys", { expires_at: soon });
  // As the console's page sends it.
  const headers = { "sec-fetch-site": "same-origin", "x-runfleet-console": "1" };
  const login = await call(url, "POST", "/v1/sessions", { key: body["key"] }, headers);
  const cookie = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const makers = [
    as(String(body["key"])),
    (method: string, path: string, asked?: unknown) => call(url, method, path, asked, { ...headers, cookie }),
  ];
  for (const maker of makers) {
    const make = async (asked: object) => maker("POST", "/v1/users/me/api-keys", asked);
    expect(await make({})).toMatchObject({ status: 201, body: { expires_at: soon } });
    expect(await make({ expires_at: later })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ["body", "expires_at"] }] },
    });
    const earlier = new Date(Date.now() + 600_000).toISOString();
    expect(await make({ expires_at: earlier })).toMatchObject({ status: 201, body: { expires_at: earlier } });
  }
  expect((await ask("POST", "/v1/users/me/api-keys", {})).body["expires_at"]).toBeNull();
});

test("a run's read token streams the run by URL, for an hour", async () => {
  const { ask, key } = await makeUser("eve");
  const agent = await ask("POST", "/v1/agents", {
    user_id: "eve",
    name: "a",
    config: { source: "def main(i): return i" },
  });
  const headers = { authorization: `Bearer ${String(key["key"])}`, prefer: "wait=20" };
  const run = await call(url, "POST", "/v1/execute", { agent_id: agent.body["id"], version: "current" }, headers);
  const token = await ask("POST", "/v1/users/me/api-keys", { run_id: run.body["id"] });
  expect(token.body).toMatchObject({ scopes: ["runs:read"], run_id: run.body["id"] });
  expect(Date.parse(String(token.body["expires_at"])) - Date.now()).toBeLessThanOrEqual(3_600_000);
  const stream = await fetch(`${url}/v1/runs/${String(run.body["id"])}/stream?token=${String(token.body["key"])}`);
  expect(await stream.text()).toContain("event: run.success");
  const run_id = String(run.body["id"]);
  const artifacts = `/v1/runs/${run_id}/artifacts?token=${String(token.body["key"])}`;
  expect(await call(url, "GET", artifacts)).toMatchObject({ status: 200, body: { data: [] } });
  // An operator's link to somebody's run reads it, too: it belongs to the run's user.
  const shared = await asAdmin("POST", "/v1/users/me/api-keys", { run_id });
  expect(shared).toMatchObject({ status: 201, body: { user_id: "eve" } });
  expect((await call(url, "GET", `/v1/runs/${run_id}?token=${String(shared.body["key"])}`)).status).toBe(200);
  expect((await asAdmin("POST", "/v1/users/me/api-keys", { run_id, user_id: "ada" })).status).toBe(404);
  const links = await ask("GET", `/v1/users/me/api-keys?run_id=${run_id}`);
  expect(links.body["data"]).toMatchObject([{ id: shared.body["id"] }, { id: token.body["id"] }]);
});

test("a patch merges, null empties, and a user is deleted once the agents are gone, with keys and connections; agents' ids stay", async () => {
  const { ask } = await makeUser("cy");
  await ask("PATCH", "/v1/users/me", { name: "Cy", metadata: { a: 1 } });
  const { body } = await ask("PATCH", "/v1/users/cy", { email: "c@y.org", metadata: { b: 2 } });
  expect(body).toMatchObject({ name: "Cy", email: "c@y.org", metadata: { a: 1, b: 2 } });
  expect((await ask("PATCH", "/v1/users/me", { email: null })).body["email"]).toBeNull();
  expect((await ask("PATCH", "/v1/users/me", { email: "none" })).status).toBe(422);
  await ask("PUT", "/v1/connections/openai", { secret: "sk-of-cy" });
  const agent = await ask("POST", "/v1/agents", { user_id: "cy", name: "a" });
  expect(await ask("DELETE", "/v1/users/cy")).toMatchObject({ status: 409, body: { code: "user_has_agents" } });
  await ask("DELETE", `/v1/agents/${String(agent.body["id"])}`);
  expect((await ask("DELETE", "/v1/users/cy")).status).toBe(204);
  expect((await ask("GET", "/v1/users/me")).status).toBe(401);
  expect((await asAdmin("GET", "/v1/users/cy")).status).toBe(404);
  const { body: left } = await asAdmin("GET", "/v1/users?search=cy");
  expect(left["data"]).toEqual([]);
  expect((await asAdmin("POST", "/v1/users/me/api-keys", { user_id: "cy" })).body["code"]).toBe("user_not_found");
  expect((await asAdmin("GET", "/v1/connections?user_id=cy")).body["data"]).toEqual([]);
  // A deletion that was cut off is gone on with when it is asked for again.
  await stack.sql.query("INSERT INTO store_items (user_id, namespace, key, value) VALUES ('cy', 'n', 'left', '{}')");
  expect((await asAdmin("DELETE", "/v1/users/cy")).status).toBe(404);
  expect((await stack.sql.query("SELECT 1 FROM store_items WHERE user_id = 'cy'")).rowCount).toBe(0);
  // Runs and bookings are still under the id, so nobody gets it.
  expect((await asAdmin("POST", "/v1/users", { id: "cy" })).body["code"]).toBe("user_exists");
  const foreign = await asAdmin("POST", "/v1/agents", { id: "agent-of-cy", name: "mine", user_id: "cy" });
  expect(foreign).toMatchObject({ status: 404, body: { code: "user_not_found" } });
  expect((await asAdmin("GET", "/v1/users/cy")).status).toBe(404);
  const again = { id: agent.body["id"], name: "mine", user_id: "dan" };
  expect((await (await makeUser("dan")).ask("POST", "/v1/agents", again)).body).toMatchObject({
    code: "agent_id_taken",
  });
});

test("usage is the sum of one's own runs; limits say what may be", async () => {
  const agent_id = await makeAgent(open, "def main(i): return {}");
  for (let i = 0; i < 2; i += 1)
    await call(open, "POST", "/v1/execute", { agent_id, version: "current" }, { prefer: "wait=20" });
  const { body } = await call(open, "GET", "/v1/users/me/usage?user_id=tester");
  expect(body).toMatchObject({ user_id: "tester", runs: 2, by_status: { success: 2 }, cpu_ms: expect.any(Number) });
  expect((await call(open, "GET", "/v1/users/me/usage?user_id=nobody")).body).toMatchObject({ runs: 0, by_status: {} });
  expect((await call(open, "GET", "/v1/users/me/limits")).body).toMatchObject({
    request: { body_bytes: 6 * 1024 * 1024 },
    requests_per_minute: null,
    open_runs: { queued: 0, running: 0 },
  });
});

test("in open mode `me` is public, or whom the request names", async () => {
  expect((await call(open, "GET", "/v1/users/me")).body["id"]).toBe("public");
  expect((await call(open, "GET", "/v1/users/me?user_id=dora")).body["id"]).toBe("dora");
  expect((await call(open, "GET", "/v1/users")).status).toBe(200);
});

test("an admin reads who did what, by actor, action and thing", async () => {
  const { ask, key } = await makeUser("fay");
  const { body: agent } = await ask("POST", "/v1/agents", { user_id: "fay", name: "a" });
  await ask("DELETE", `/v1/agents/${String(agent["id"])}`);
  const { body } = await asAdmin("GET", `/v1/admin/audit?target_id=${String(agent["id"])}`);
  expect(body["data"]).toMatchObject([
    { action: "delete_agent", actor: key["id"], user_id: "fay", target_type: "agent", ip: expect.any(String) },
    { action: "create_agent", actor: key["id"] },
  ]);
  const { body: made } = await asAdmin("GET", `/v1/admin/audit?user_id=fay&action=create_api_key`);
  expect(made["data"]).toMatchObject([{ actor: "bootstrap", target_type: "key", target_id: key["id"] }]);
});
