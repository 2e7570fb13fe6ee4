import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { newCredential } from "../../../shared/platform/secrets/credential.ts";
import { call, execute, makeAgent } from "../../harness/client.ts";
import { useTestStack } from "../../harness/test-stack.ts";

const admin = randomBytes(32).toString("hex");
const internal = randomBytes(32).toString("hex");

const stack = await useTestStack();
const [{ url: openUrl }, { url }] = await Promise.all([
  stack.startService(),
  stack.openApi({ AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, INTERNAL_TOKEN: internal }),
]);

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** A key as the service itself makes them. */
async function makeKey(user_id: string, scopes: string[] = ["*"], run_id: string | null = null) {
  const { id, text, secret_hash } = newCredential("key");
  await stack.sql.query("INSERT INTO users (id) VALUES ($1) ON CONFLICT DO NOTHING", [user_id]);
  await stack.sql.query("INSERT INTO api_keys (id, user_id, secret_hash, scopes, run_id) VALUES ($1, $2, $3, $4, $5)", [
    id,
    user_id,
    secret_hash,
    scopes,
    run_id,
  ]);
  return { id, text };
}

const createAgent = (key: string, user_id: string) =>
  call(url, "POST", "/v1/agents", { user_id, name: "a", config: { source: "def main(i): return i" } }, bearer(key));

test("a key is accepted as X-Api-Key too, whoever's it is; a bearer token counts before it", async () => {
  const ada = await makeKey("ada");
  const as = (key: string, path: string) => call(url, "GET", path, undefined, { "x-api-key": key });
  expect((await as(ada.text, "/v1/users/me")).body["id"]).toBe("ada");
  expect((await as(admin, "/v1/admin/fleet")).status).toBe(200);
  expect((await fetch(`${url}/metrics`, { headers: { "x-api-key": internal } })).status).toBe(200);
  expect(await as(newCredential("key").text, "/v1/runs")).toMatchObject({ status: 401, body: { code: "invalid_key" } });
  expect(await as("two words", "/v1/runs")).toMatchObject({ status: 401, body: { code: "missing_key" } });
  const bob = await makeKey("bob");
  const both = await call(url, "GET", "/v1/users/me", undefined, { ...bearer(bob.text), "x-api-key": ada.text });
  expect(both.body["id"]).toBe("bob");
});

test("no key, no scheme, a made up key and a changed secret are 401 with WWW-Authenticate", async () => {
  const { text } = await makeKey("u0");
  const changed = text.slice(0, -1) + (text.endsWith("0") ? "1" : "0");
  for (const authorization of [
    "",
    "Basic x",
    `Bearer ${newCredential("key").text}`,
    `Bearer ${changed}`,
    `Bearer ${text} x`,
  ]) {
    const answer = await call(url, "GET", "/v1/runs", undefined, authorization ? { authorization } : {});
    expect([authorization, answer.status]).toEqual([authorization, 401]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  }
});

test("a key is asked for before a body is read, and what is public needs none", async () => {
  expect((await call(url, "POST", "/v1/execute", { nonsense: true })).status).toBe(401);
  for (const path of ["/", "/health", "/health/live", "/openapi.json"])
    expect((await call(url, "GET", path)).status).toBe(200);
  expect((await call(url, "GET", "/health")).body["auth"]).toBe("key");
});

test("whoever opens the address without a path is told where all is described", async () => {
  const { docs, redoc, openapi, health } = (await call(url, "GET", "/")).body;
  for (const path of [docs, redoc, openapi, health]) expect((await fetch(`${url}${String(path)}`)).status).toBe(200);
});

test("what is somebody else's is a 404, and isn't in a list", async () => {
  const [ada, bob] = [await makeKey("ada"), await makeKey("bob")];
  const agent_id = String((await createAgent(ada.text, "ada")).body["id"]);
  const request = { agent_id, version: "current" };
  const done = await execute(url, request, { ...bearer(ada.text), prefer: "wait=20" });
  const { id } = (await done.json()) as { id: string };
  expect((await call(url, "GET", `/v1/runs/${id}`, undefined, bearer(ada.text))).body["status"]).toBe("success");
  expect((await call(url, "GET", `/v1/runs/${id}`, undefined, bearer(bob.text))).status).toBe(404);
  expect((await call(url, "POST", "/v1/execute", request, bearer(bob.text))).body["code"]).toBe("agent_not_found");
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(bob.text))).body["data"]).toEqual([]);
  expect((await call(url, "GET", "/v1/runs?user_id=ada", undefined, bearer(bob.text))).body["data"]).toEqual([]);
});

test("a thread of somebody else's can't be joined", async () => {
  const [ada, bob] = [await makeKey("ada"), await makeKey("bob")];
  const run = async (key: string, user: string) => {
    const agent_id = String((await createAgent(key, user)).body["id"]);
    const headers = { ...bearer(key), prefer: "wait=20" };
    return call(url, "POST", "/v1/execute", { agent_id, version: "current", thread_id: "ada-thread" }, headers);
  };
  expect((await run(ada.text, "ada")).status).toBe(200);
  expect(await run(bob.text, "bob")).toMatchObject({ status: 404, body: { code: "thread_not_found" } });
});

test("a key acts for its own user; one with the scope admin for everybody", async () => {
  const ada = await makeKey("ada");
  expect(await createAgent(ada.text, "bob")).toMatchObject({ status: 403, body: { code: "foreign_user_id" } });
  expect(await createAgent(admin, "bob")).toMatchObject({ status: 201, body: { user_id: "bob" } });
});

test("a key does what its scopes say and no more", async () => {
  const { text } = await makeKey("ada", ["runs:read"]);
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(text))).status).toBe(200);
  expect(await createAgent(text, "ada")).toMatchObject({ status: 403, body: { code: "missing_scope" } });
  const all = await makeKey("ada");
  expect((await call(url, "GET", "/v1/admin/fleet", undefined, bearer(all.text))).status).toBe(403);
  expect((await call(url, "GET", "/v1/admin/fleet", undefined, bearer(admin))).status).toBe(200);
});

test("the internal token opens internal operations only", async () => {
  const metrics = await fetch(`${url}/metrics`, { headers: bearer(internal) });
  expect(metrics.status).toBe(200);
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(internal))).status).toBe(403);
  const { text } = await makeKey("ada");
  expect((await call(url, "GET", "/metrics", undefined, bearer(text))).status).toBe(403);
});

test.each([
  ["revoked", "revoked_at = now()"],
  ["expired", "expires_at = now() - interval '1 second'"],
])("a key that was %s is refused at once", async (_name, change) => {
  const { id, text } = await makeKey("ada");
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(text))).status).toBe(200);
  await stack.sql.query(`UPDATE api_keys SET ${change} WHERE id = $1`, [id]);
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(text))).status).toBe(401);
});

test("only a hash of the secret is kept, and a key's use is noted at most once a minute", async () => {
  const { id, text } = await makeKey("ada");
  const used = async () =>
    (await stack.sql.query("SELECT last_used_at, to_json(k)::text AS row FROM api_keys k WHERE id = $1", [id])).rows[0];
  await call(url, "GET", "/v1/runs", undefined, bearer(text));
  await expect.poll(async () => (await used()).last_used_at).toBeInstanceOf(Date);
  const first = (await used()).last_used_at;
  await Promise.all(Array.from({ length: 5 }, () => call(url, "GET", "/v1/runs", undefined, bearer(text))));
  expect((await used()).last_used_at).toEqual(first);
  expect((await used()).row).not.toContain(text.split("_")[2]);
});

test("a run's read token streams that run from a URL and does nothing else; a full key in a URL is refused", async () => {
  const ada = await makeKey("ada");
  const agent_id = String((await createAgent(ada.text, "ada")).body["id"]);
  const made = await execute(url, { agent_id, version: "current" }, { ...bearer(ada.text), prefer: "wait=20" });
  const { id } = (await made.json()) as { id: string };
  const { text } = await makeKey("ada", ["runs:read"], id);
  const stream = await fetch(`${url}/v1/runs/${id}/stream?token=${text}`);
  expect([stream.status, (await stream.text()).includes("event: run.success")]).toEqual([200, true]);
  expect((await call(url, "GET", `/v1/runs/other/stream?token=${text}`)).status).toBe(404);
  expect((await call(url, "GET", `/v1/runs?token=${text}`)).status).toBe(403);
  expect((await call(url, "GET", `/v1/runs/${id}/stream?token=${ada.text}`)).body["code"]).toBe("key_in_url");
});

test("open mode asks for no key and ignores one", async () => {
  const agent_id = await makeAgent(openUrl, "def main(input): return {}");
  const answer = await call(
    openUrl,
    "POST",
    "/v1/execute",
    { agent_id, version: "current" },
    {
      ...bearer("whatever"),
      prefer: "wait=20",
    },
  );
  expect(answer).toMatchObject({ status: 200, body: { status: "success", user_id: "tester" } });
});
