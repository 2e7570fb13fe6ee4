import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { newCredential } from "../../../shared/platform/secrets/credential.ts";
import { type Answer, call } from "../../harness/client.ts";
import { makeKey } from "../../harness/make-key.ts";
import { type OpenedApi, useTestStack } from "../../harness/test-stack.ts";
import { rawRequest } from "../http/raw-request.ts";

const admin = randomBytes(32).toString("hex");
const internal = randomBytes(32).toString("hex");
const stack = await useTestStack();
const withKeys = { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: admin, INTERNAL_TOKEN: internal, RATE_LIMIT_PER_MINUTE: "0" };
const [api, anyOrigin, otherAdmin, limited, open] = await Promise.all([
  stack.openApi(withKeys),
  stack.openApi({ ...withKeys, ALLOWED_ORIGINS: "*" }),
  stack.openApi({ ...withKeys, BOOTSTRAP_ADMIN_KEY: randomBytes(32).toString("hex") }),
  stack.openApi({ ...withKeys, RATE_LIMIT_PER_MINUTE: "5" }),
  stack.openApi(),
]);
const { url } = api;

/** What a browser adds to the requests of a page of this origin. */
const ownPage = { "sec-fetch-site": "same-origin" };
const write = { ...ownPage, "x-runfleet-console": "1" };
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

type SignedIn = Answer & { cookie: string };

async function signIn(body: object, headers: Record<string, string> = {}, to = url): Promise<SignedIn> {
  const answer = await call(to, "POST", "/v1/sessions", body, headers);
  return { ...answer, cookie: (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "" };
}

const newUser = () => `u${randomBytes(6).toString("hex")}`;
async function keyOf(user_id: string, scopes?: readonly string[]): Promise<{ id: string; text: string }> {
  const text = await makeKey(stack, user_id, scopes);
  return { id: `key_${String(text.split("_")[1])}`, text };
}

/** Sends a request with just these header lines. */
async function send(
  member: OpenedApi,
  line: string,
  headers: string[],
  body = "",
): Promise<{ status: number; body: string }> {
  const head = [
    `${line} HTTP/1.1`,
    ...headers,
    `Content-Length: ${body.length}`,
    "Content-Type: application/json",
    "Connection: close",
    "",
    body,
  ];
  return rawRequest(Number(new URL(member.url).port), [head.join("\r\n")]);
}

const whoIs = (cookie: string, to = url) => call(to, "GET", "/v1/users/me", undefined, { ...ownPage, cookie });

test("a key signs a browser in: the cookie stands for it, and no script, foreign page or answer has it", async () => {
  const user = newUser();
  const key = await keyOf(user);
  const { status, body, headers, cookie } = await signIn({ key: key.text }, write);
  expect(status).toBe(201);
  expect(body).toMatchObject({
    user_id: user,
    auth_mode: "key",
    scopes: ["*"],
    admin: false,
    principal: { id: key.id },
  });
  expect(headers.get("set-cookie")).toMatch(/^runfleet_session=rfs_[0-9a-f_]+; HttpOnly; SameSite=Strict; Path=\/$/);
  expect(headers.get("cache-control")).toBe("no-store");
  const secret = String(cookie.split("_").at(-1));
  expect(JSON.stringify(body)).not.toContain(secret);
  expect((await whoIs(cookie)).body["id"]).toBe(user);
  const made = await call(url, "POST", "/v1/agents", { user_id: user, name: "a" }, { ...write, cookie });
  expect(made.status).toBe(201);
  const current = await call(url, "GET", "/v1/sessions/current", undefined, { ...ownPage, cookie });
  expect(current.body).toEqual(body);
});

test("over https the cookie has the __Host- prefix, so that no other host of the domain can plant one", async () => {
  const { text } = await keyOf(newUser());
  const { host } = new URL(url);
  const { headers, cookie } = await signIn({ key: text }, { ...write, origin: `https://${host}` });
  expect(headers.get("set-cookie")).toMatch(
    /^__Host-runfleet_session=rfs_\w+; Secure; HttpOnly; SameSite=Strict; Path=\/$/,
  );
  const onHost = (name: string) => [
    "Host: runfleet.example",
    "Sec-Fetch-Site: same-origin",
    `Cookie: a=b; ${name}=${cookie.slice(cookie.indexOf("=") + 1)}`,
  ];
  expect((await send(api, "GET /v1/runs", onHost("__Host-runfleet_session"))).status).toBe(200);
  expect((await send(api, "GET /v1/runs", onHost("runfleet_session"))).status).toBe(401);
});

describe("a cookie counts for pages of its own origin only", async () => {
  const user = newUser();
  const { cookie } = await signIn({ key: (await keyOf(user)).text }, write);
  const own = ["Host: 127.0.0.1:1", `Cookie: ${cookie}`];
  const site = (word: string) => `Sec-Fetch-Site: ${word}`;

  test.each([
    ["a page of this origin", [site("same-origin")], 200],
    ["an old browser that only names the origin", ["Origin: http://127.0.0.1:1"], 200],
    ["a cross-site page", [site("cross-site")], 401],
    ["a page of another port or subdomain", [site("same-site")], 401],
    ["a link in a mail", [site("none")], 401],
    ["two answers to where it comes from", [site("same-origin"), site("cross-site")], 401],
    ["another origin", ["Origin: http://evil.example"], 401],
    ["another port", ["Origin: http://127.0.0.1:2"], 401],
    ["no origin", ["Origin: null"], 401],
    ["what names no page at all", [], 401],
    ["a foreign page that says the header", [site("cross-site"), "X-Runfleet-Console: 1"], 401],
    ["a page of another port that says the header", [site("same-site"), "X-Runfleet-Console: 1"], 401],
    ["another origin that says the header", ["Origin: http://evil.example", "X-Runfleet-Console: 1"], 401],
    ["no origin, with the header", ["Origin: null", "X-Runfleet-Console: 1"], 401],
    // As browsers read over plain http: they name no page, and send such a header to another origin after a preflight only.
    ["the console over plain http", ["X-Runfleet-Console: 1"], 200],
    ["another value of the header", ["X-Runfleet-Console: true"], 401],
  ])("read by %s: %s → %i", async (_who, headers, expected) => {
    expect((await send(api, "GET /v1/runs", [...own, ...headers])).status).toBe(expected);
    // What other origins may do with a key doesn't count for a cookie.
    expect((await send(anyOrigin, "GET /v1/runs", [...own, ...headers])).status).toBe(expected);
  });

  test.each([
    ["a page of this origin, with the header", [site("same-origin"), "X-Runfleet-Console: 1"], 201],
    ["a page of this origin without the header", [site("same-origin")], 401],
    ["the header's other values", [site("same-origin"), "X-Runfleet-Console: 0"], 401],
    ["another origin with the header", [site("cross-site"), "X-Runfleet-Console: 1"], 401],
    ["another origin by its name", ["Origin: http://evil.example", "X-Runfleet-Console: 1"], 401],
    ["what names no page, with the header", ["X-Runfleet-Console: 1"], 401],
  ])("written by %s: %s → %i", async (_who, headers, expected) => {
    const made = await send(anyOrigin, "POST /v1/threads", [...own, ...headers], "{}");
    expect(made.status).toBe(expected);
  });

  test("a browser sends the header of a read to another origin after a preflight only, and none allows cookies", async () => {
    for (const at of [api, anyOrigin]) {
      const answer = await fetch(`${at.url}/v1/runs`, {
        method: "OPTIONS",
        headers: {
          origin: "http://evil.example",
          "access-control-request-method": "GET",
          "access-control-request-headers": "x-runfleet-console",
        },
      });
      expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      // With `*` a browser sends no cookie.
      expect([null, "*"]).toContain(answer.headers.get("access-control-allow-origin"));
    }
  });

  test("no preflight request allows cookies, and a foreign write is refused before", async () => {
    const answer = await fetch(`${anyOrigin.url}/v1/threads`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await send(api, "POST /v1/threads", [...own, "Origin: http://evil.example"], "{}");
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining("cross_site_request") });
  });

  test("a 401 says what the request lacks", async () => {
    const { body } = await call(url, "POST", "/v1/threads", {}, { ...ownPage, cookie });
    expect(body).toMatchObject({ code: "session_not_counted", detail: expect.stringContaining("X-Runfleet-Console") });
  });

  test("a key counts before the cookie, also a wrong one", async () => {
    const other = newUser();
    const { text } = await keyOf(other);
    const as = (key: string) => call(url, "GET", "/v1/users/me", undefined, { ...write, cookie, ...bearer(key) });
    expect((await as(text)).body["id"]).toBe(other);
    expect(await as(newCredential("key").text)).toMatchObject({ status: 401, body: { code: "invalid_key" } });
  });
});

test("a page of another origin signs nobody in, whatever origins may send keys", async () => {
  const { text } = await keyOf(newUser());
  for (const headers of [
    { "sec-fetch-site": "cross-site" },
    { origin: "https://evil.example" },
    { "sec-fetch-site": "same-site" },
  ]) {
    const { status, cookie } = await signIn({ key: text }, headers, anyOrigin.url);
    expect([status, cookie]).toEqual([403, ""]);
  }
});

test("what the database holds signs nobody in", async () => {
  const { cookie, body } = await signIn({ key: (await keyOf(newUser())).text }, write);
  const { rows } = await stack.sql.query(
    "SELECT to_json(s)::text AS row, encode(secret_hash, 'hex') AS hash FROM sessions s WHERE id = $1",
    [body["id"]],
  );
  expect(rows[0].row).not.toContain(String(cookie.split("_").at(-1)));
  const id = String(body["id"]).slice("session_".length);
  for (const forged of [`rfs_${id}_${rows[0].hash}`, body["id"], `rf_${id}_${rows[0].hash}`, "", "x".repeat(5000)])
    expect((await whoIs(`runfleet_session=${String(forged)}`)).status).toBe(401);
  // A key is no session, and a session is no key.
  const { text } = await keyOf(newUser());
  expect((await whoIs(`runfleet_session=${text}`)).status).toBe(401);
  const session = cookie.slice(cookie.indexOf("=") + 1);
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(session))).status).toBe(401);
});

test.each([
  ["its key is revoked in the database", "UPDATE api_keys SET revoked_at = now() WHERE id = $1"],
  ["its key expires", "UPDATE api_keys SET expires_at = now() WHERE id = $1"],
  ["its key is gone", "DELETE FROM api_keys WHERE id = $1"],
  ["7 days are over", "UPDATE sessions SET expires_at = now() WHERE principal_id = $1"],
  [
    "nobody used it for 12 hours",
    "UPDATE sessions SET last_used_at = now() - interval '12 hours' WHERE principal_id = $1",
  ],
  [
    "its user is deleted",
    "UPDATE users SET deleted_at = now() WHERE id = (SELECT user_id FROM api_keys WHERE id = $1)",
  ],
])("a session ends when %s", async (_why, change) => {
  const { id, text } = await keyOf(newUser());
  const { cookie } = await signIn({ key: text }, write);
  expect((await whoIs(cookie)).status).toBe(200);
  await stack.sql.query(change, [id]);
  expect(await whoIs(cookie)).toMatchObject({ status: 401, body: { code: "invalid_session" } });
  const current = await call(url, "GET", "/v1/sessions/current", undefined, { ...ownPage, cookie });
  expect(current.body).toMatchObject({ id: null, user_id: null, scopes: [], auth_mode: "key" });
});

test("a session of a key that expires says so", async () => {
  const { id, text } = await keyOf(newUser());
  await stack.sql.query("UPDATE api_keys SET expires_at = now() + interval '1 hour' WHERE id = $1", [id]);
  const { body } = await signIn({ key: text }, write);
  expect(Date.parse(String(body["expires_at"])) - Date.now()).toBeLessThan(3_600_001);
});

test("revoking a key ends its sessions and unused codes, also from within one of them", async () => {
  const user = newUser();
  const { id, text } = await keyOf(user);
  const { cookie } = await signIn({ key: text }, write);
  const code = (await call(url, "POST", "/v1/sessions/codes", undefined, { ...write, cookie })).body["code"];
  const revoked = await call(url, "DELETE", `/v1/users/me/api-keys/${id}`, undefined, { ...write, cookie });
  expect(revoked.status).toBe(204);
  expect((await whoIs(cookie)).status).toBe(401);
  expect(await signIn({ code }, write)).toMatchObject({ status: 401, body: { code: "invalid_code" } });
  const { rows } = await stack.sql.query("SELECT 1 FROM sessions WHERE user_id = $1", [user]);
  expect(rows).toEqual([]);
});

test("a code signs in once, and within a minute", async () => {
  const user = newUser();
  const { text } = await keyOf(user, ["users:write", "runs:read"]);
  const codeOf = async () =>
    (await call(url, "POST", "/v1/sessions/codes", undefined, bearer(text))).body["code"] as string;
  const code = await codeOf();
  const answers = await Promise.all(Array.from({ length: 5 }, () => signIn({ code }, write)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401, 401]);
  const used = answers.find(({ status }) => status === 201);
  expect(used?.body).toMatchObject({ user_id: user, scopes: ["users:write", "runs:read"] });
  expect((await call(url, "GET", "/v1/runs", undefined, { ...ownPage, cookie: used?.cookie ?? "" })).status).toBe(200);
  const late = await codeOf();
  const { rows } = await stack.sql.query(
    "UPDATE session_codes SET expires_at = now() WHERE user_id = $1 RETURNING to_json(session_codes)::text AS row",
    [user],
  );
  expect(rows[0].row).not.toContain(late.split("_").at(-1));
  expect((await signIn({ code: late }, write)).status).toBe(401);
  // A code is no key.
  expect((await call(url, "GET", "/v1/runs", undefined, bearer(await codeOf()))).status).toBe(401);
});

test("a user has 100 unused codes at most, and 100 sessions: one more ends the one that was used least lately", async () => {
  const user = newUser();
  const { id, text } = await keyOf(user);
  const { cookie: oldest } = await signIn({ key: text }, write);
  await stack.sql.query(
    `INSERT INTO session_codes (id, user_id, secret_hash, principal_kind, principal_id, expires_at)
     SELECT 'code_' || $1 || n, $1, '', 'key', $2, now() + interval '1 minute' FROM generate_series(1, 100) n`,
    [user, id],
  );
  const more = await call(url, "POST", "/v1/sessions/codes", undefined, bearer(text));
  expect(more).toMatchObject({ status: 409, body: { code: "too_many_codes" } });
  await stack.sql.query(
    `INSERT INTO sessions (id, user_id, secret_hash, principal_kind, principal_id, expires_at)
     SELECT 'session_' || $1 || n, $1, '', 'key', $2, now() + interval '1 day' FROM generate_series(1, 99) n`,
    [user, id],
  );
  expect((await whoIs(oldest)).status).toBe(200);
  expect((await signIn({ key: text }, write)).status).toBe(201);
  expect((await whoIs(oldest)).status).toBe(401);
});

test("tokens of one run and of the internal operations sign nobody in, nor does nonsense", async () => {
  const runToken = await keyOf(newUser());
  await stack.sql.query("UPDATE api_keys SET run_id = 'run_1' WHERE id = $1", [runToken.id]);
  for (const [key, status] of [
    [runToken.text, 403],
    [internal, 403],
    ["nonsense", 401],
    [newCredential("key").text, 401],
  ] as const)
    expect([key, (await signIn({ key }, write)).status]).toEqual([key, status]);
  expect((await call(url, "POST", "/v1/sessions/codes", undefined, bearer(runToken.text))).status).toBe(403);
  for (const body of [{}, { key: null }, { key: "a", code: "b" }, { key: 1 }, { user: "a" }])
    expect((await signIn(body, write)).status).toBe(422);
});

test("the operator's key signs in as admin, until it is replaced", async () => {
  const { body, cookie } = await signIn({ key: admin }, write);
  expect(body).toMatchObject({ admin: true, principal: { kind: "bootstrap", id: "bootstrap" } });
  const fleet = (to: string) => call(to, "GET", "/v1/admin/fleet", undefined, { ...ownPage, cookie });
  expect((await fleet(url)).status).toBe(200);
  expect((await fleet(otherAdmin.url)).status).toBe(401);
});

test("a session may do what its key may, and a 403 names the scope that it lacks", async () => {
  const user = newUser();
  const { cookie } = await signIn({ key: (await keyOf(user, ["runs:read"])).text }, write);
  const refused = await call(url, "POST", "/v1/threads", {}, { ...write, cookie });
  expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining("threads:write") } });
  expect((await call(url, "GET", "/v1/admin/fleet", undefined, { ...ownPage, cookie })).status).toBe(403);
});

test("who signed in is listed, ends single sessions, signs out, and is in the audit log", async () => {
  const user = newUser();
  const { id, text } = await keyOf(user);
  const [here, there] = [
    await signIn({ key: text }, { ...write, "user-agent": "here" }),
    await signIn({ key: text }, { ...write, "user-agent": "t".repeat(5000) }),
  ];
  const list = async () =>
    (await call(url, "GET", "/v1/users/me/sessions", undefined, { ...ownPage, cookie: here.cookie })).body["data"] as {
      id: string;
      is_current: boolean;
      user_agent: string;
      ip: string;
    }[];
  expect((await list()).map(({ is_current, user_agent, ip }) => [is_current, user_agent, ip])).toEqual([
    [false, "t".repeat(256), "127.0.0.1"],
    [true, "here", "127.0.0.1"],
  ]);
  const gone = `/v1/users/me/sessions/${String(there.body["id"])}`;
  const stranger = await keyOf(newUser());
  expect((await call(url, "DELETE", gone, undefined, bearer(stranger.text))).status).toBe(404);
  expect((await call(url, "DELETE", gone, undefined, { ...write, cookie: here.cookie })).status).toBe(204);
  expect((await whoIs(there.cookie)).status).toBe(401);
  expect((await list()).map((session) => session.id)).toEqual([here.body["id"]]);
  // A page without the header signs nobody out.
  const forged = await call(url, "DELETE", "/v1/sessions/current", undefined, { ...ownPage, cookie: here.cookie });
  expect([forged.status, (await whoIs(here.cookie)).status]).toEqual([401, 200]);
  const out = await call(url, "DELETE", "/v1/sessions/current", undefined, { ...write, cookie: here.cookie });
  expect(out.headers.get("set-cookie")).toBe("runfleet_session=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0");
  expect((await whoIs(here.cookie)).status).toBe(401);
  expect((await call(url, "DELETE", "/v1/sessions/current", undefined, { ...write, cookie: here.cookie })).status).toBe(
    204,
  );
  const { body } = await call(url, "GET", `/v1/admin/audit?user_id=${user}&order=asc`, undefined, bearer(admin));
  const acts = (body["data"] as { actor: string; action: string; target_id: string; detail: object }[]).map(
    ({ actor, action, target_id, detail }) => [actor, action, target_id, detail],
  );
  expect(acts).toEqual([
    [id, "create_session", here.body["id"], {}],
    [id, "create_session", there.body["id"], {}],
    [id, "end_session", there.body["id"], { session_id: here.body["id"] }],
    [id, "end_current_session", here.body["id"], {}],
  ]);
});

test("guesses of keys, codes and sessions are limited by address", async () => {
  const statuses: number[] = [];
  for (const body of [{ key: "a" }, { code: "b" }, { key: "c" }])
    statuses.push((await signIn(body, write, limited.url)).status);
  for (let at = 0; at < 2; at++) statuses.push((await whoIs(`runfleet_session=rfs_${at}`, limited.url)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401]);
  expect((await signIn({ code: "d" }, write, limited.url)).status).toBe(429);
  expect((await whoIs("runfleet_session=x", limited.url)).status).toBe(429);
});

test("a session's use is noted at most once a minute, and what has ended is purged", async () => {
  const user = newUser();
  const { cookie, body } = await signIn({ key: (await keyOf(user)).text }, write);
  const used = async () =>
    (await stack.sql.query("SELECT last_used_at FROM sessions WHERE id = $1", [body["id"]])).rows[0]
      ?.last_used_at as Date;
  const first = await used();
  await whoIs(cookie);
  expect(await used()).toEqual(first);
  await stack.sql.query("UPDATE sessions SET last_used_at = now() - interval '2 minutes' WHERE id = $1", [body["id"]]);
  await whoIs(cookie);
  await expect.poll(used).toSatisfy((at: Date) => at >= first);
  await stack.sql.query("UPDATE sessions SET last_used_at = now() - interval '13 hours' WHERE id = $1", [body["id"]]);
  const purge = await call(url, "POST", "/v1/internal/jobs/purge-transcripts", undefined, bearer(internal));
  expect(purge.status).toBe(200);
  expect(await used()).toBeUndefined();
});

test("without keys nobody signs in, and the page is told", async () => {
  expect((await call(open.url, "GET", "/v1/sessions/current")).body).toMatchObject({
    auth_mode: "open",
    user_id: "public",
    admin: true,
  });
  // Its token alone has the internal operations then, which an admin has, too.
  const guarded = await stack.openApi({ INTERNAL_TOKEN: internal });
  const { body } = await call(guarded.url, "GET", "/v1/sessions/current");
  expect(body).toMatchObject({ auth_mode: "open", scopes: ["*"], admin: false });
  expect((await call(guarded.url, "GET", "/v1/admin/agents")).status).toBe(403);
  expect(await signIn({ key: "x" }, write, open.url)).toMatchObject({
    status: 409,
    body: { code: "sign_in_not_needed" },
  });
});
