import { describe, expect, test } from "vitest";
import { operations } from "../../../api/operations.ts";
import { useTestStack, type OpenedApi } from "../../harness/test-stack.ts";
import { rawRequest } from "./raw-request.ts";

const key = "k".repeat(32);

const stack = await useTestStack();
const allowed = { ALLOWED_HOSTS: "fleet.example,[fd00::7]", ALLOWED_ORIGINS: "https://app.example" };
const withKeys = { AUTH_MODE: "key", BOOTSTRAP_ADMIN_KEY: key };
const [open, keyed, closed, anyOrigin] = await Promise.all([
  stack.openApi(allowed),
  stack.openApi({ ...allowed, ...withKeys }),
  stack.openApi(withKeys),
  stack.openApi({ ...withKeys, ALLOWED_ORIGINS: "*" }),
]);

const portOf = ({ url }: OpenedApi): number => Number(new URL(url).port);

/** Sends a request with just these lines, and gives its status. */
async function send(member: OpenedApi, line: string, headers: string[]): Promise<number> {
  const head = [line, ...headers, "Connection: close", "", ""].join("\r\n");
  return (await rawRequest(portOf(member), [head])).status;
}

describe("without keys, only names of this machine and configured ones are answered", () => {
  const get = (host: string) => send(open, "GET /v1/agents HTTP/1.1", [`Host: ${host}`]);

  test.each([
    ...["localhost", "localhost:8080", "LocalHost.:1", "localhost:", "a.b.localhost", "127.0.0.1", "127.9.9.9:80"],
    ...["[::1]", "[::1]:8080", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]:9", "Fleet.Example.:443", "[FD00::7]:1"],
  ])("%s is answered", async (host) => expect(await get(host)).toBe(200));

  test.each([
    ...["evil.example", "evil.example:8080", "localhost.evil.example", "evillocalhost", "fleet.example.evil", ""],
    ...["127.0.0.1.evil.example", "xlocalhost", "localhost@evil.example", "evil.example@localhost", "0.0.0.0"],
    ...["localhost:80:80", "localhost/", "localhost evil.example", "[::1", "::1]", "[fe80::1]", "10.0.0.1", "."],
    ...["localhost,evil.example", "loc%61lhost", "128.0.0.1", "[::ffff:128.0.0.1]", "localhost..", "[::1].evil"],
  ])("'%s' is a 421 that names the setting", async (host) => {
    const { status, body } = await rawRequest(portOf(open), [`GET /v1/agents HTTP/1.1\r\nHost: ${host}\r\n\r\n`]);
    expect(status).toBe(421);
    expect(JSON.parse(body)).toMatchObject({
      code: "host_not_allowed",
      detail: expect.stringContaining("ALLOWED_HOSTS"),
    });
  });

  test("what a proxy would say of the host counts for nothing, nor does a second one or a target's own", async () => {
    const foreign = "Host: evil.example";
    const own = "Host: localhost";
    const all = await Promise.all([
      send(open, "GET /v1/agents HTTP/1.1", [foreign, "X-Forwarded-Host: localhost", "Forwarded: host=localhost"]),
      send(open, "GET /v1/agents HTTP/1.1", [own, foreign]),
      send(open, "GET /v1/agents HTTP/1.1", [foreign, own]),
      send(open, "GET http://evil.example/v1/agents HTTP/1.1", [own]),
      send(open, "GET http://localhost/v1/agents HTTP/1.1", [foreign]),
      send(open, "GET //evil.example/v1/agents HTTP/1.1", [foreign]),
      send(open, "GET /nothing HTTP/1.1", [foreign]),
      send(open, "GET /docs HTTP/1.1", [foreign]),
      send(open, "GET /v1/agents HTTP/1.0", [foreign]),
    ]);
    expect(all).toEqual(all.map(() => 421));
    expect(await send(open, "GET http://localhost/v1/agents HTTP/1.1", [own])).toBe(200);
    expect(await send(open, "GET /v1/agents HTTP/1.0", [])).toBe(200);
  });

  test("a probe that knows an address only still learns that the process answers", async () => {
    expect(await send(open, "GET /health/live HTTP/1.1", ["Host: 10.1.2.3:8080"])).toBe(200);
    expect(await send(open, "POST /health/live HTTP/1.1", ["Host: 10.1.2.3:8080"])).toBe(405);
    expect(await send(open, "GET /health HTTP/1.1", ["Host: 10.1.2.3:8080"])).toBe(421);
  });

  test("with keys any name is answered", async () => {
    const headers = ["Host: evil.example", `Authorization: Bearer ${key}`];
    expect(await send(keyed, "GET /v1/agents HTTP/1.1", headers)).toBe(200);
  });
});

describe.each(["open", "key"])("AUTH_MODE=%s: a page of another origin changes nothing", (mode) => {
  const write = (headers: string[], line = "POST /v1/nothing HTTP/1.1") =>
    send(mode === "open" ? open : keyed, line, ["Host: localhost:8080", "Content-Length: 0", ...headers]);

  test.each([
    [["Sec-Fetch-Site: cross-site"]],
    [["Sec-Fetch-Site: same-site"]],
    [["sec-fetch-site: Same-Origin, cross-site"]],
    [["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"]],
    [["Sec-Fetch-Site: "]],
    [["Origin: https://evil.example"]],
    [["Origin: null"]],
    [["Origin: "]],
    [["Origin: http://localhost:8081", "Sec-Fetch-Site: same-origin"]],
    [["Origin: http://localhost"]],
    [["Origin: http://localhost:8080.evil.example"]],
    [["Origin: http://localhost:8080@evil.example"]],
    [["Origin: http://localhost:8080/"]],
    [["Origin: http://127.0.0.1:8080"]],
    [["Origin: http://localhost:8080", "Sec-Fetch-Site: cross-site"]],
    [["Origin: http://localhost:8080", "Origin: https://evil.example"]],
    [["Origin: https://app.example.evil"]],
    [["Origin: http://app.example"]],
    [["Origin: file://"]],
    [["Origin: chrome-extension://abc"]],
  ])("%j is refused", async (headers) => expect(await write(headers)).toBe(403));

  test.each([
    [[]],
    [["Sec-Fetch-Site: same-origin"]],
    [["Sec-Fetch-Site: none"]],
    [["Origin: http://localhost:8080"]],
    [["Origin: https://localhost:8080", "Sec-Fetch-Site: same-origin"]],
    [["Origin: https://app.example", "Sec-Fetch-Site: cross-site"]],
  ])("%j passes", async (headers) => expect(await write(headers)).toBe(404));

  test.each(["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])("%s is a write", async (method) => {
    expect(await write(["Origin: https://evil.example"], `${method} /v1/nothing HTTP/1.1`)).toBe(403);
  });
});

describe("a page of an allowed origin uses the API as its own", () => {
  const origin = "https://app.example";
  const preflight = (member: OpenedApi, from: string, path = "/v1/execute") =>
    fetch(member.url + path, {
      method: "OPTIONS",
      headers: {
        origin: from,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,last-event-id,x-anything",
      },
    });
  const corsOf = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith("access-control-"));

  test("its preflight request needs no key, and allows each method and the headers that were asked for", async () => {
    for (const path of ["/v1/execute", "/v1/runs/x/stream", "/health", "/v1/nothing"]) {
      const response = await preflight(keyed, origin, path);
      expect([path, response.status, await response.text()]).toEqual([path, 204, ""]);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
        "access-control-allow-headers": "authorization,content-type,last-event-id,x-anything",
        "access-control-max-age": "7200",
        vary: "Origin, Access-Control-Request-Headers",
      });
      expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  test("it may read answers, errors and streams, and the headers that clients go on from", async () => {
    const read = (path: string, init: RequestInit = {}) =>
      fetch(keyed.url + path, { ...init, headers: { origin, "x-api-key": key, ...init.headers } });
    const answers = await Promise.all([
      read("/v1/agents"),
      read("/v1/nothing"),
      read("/v1/agents", { headers: { "x-api-key": "wrong" } }),
      read("/v1/execute", { method: "POST", body: "{" }),
      read("/v1/execute", { method: "PUT" }),
      read("/v1/notifications/stream", { headers: { accept: "text/event-stream" } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 404, 401, 422, 405, 200]);
    for (const answer of answers) {
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("vary")).toContain("Origin");
      const exposed = answer.headers.get("access-control-expose-headers")?.toLowerCase().split(", ");
      for (const name of ["location", "content-location", "retry-after", "ratelimit", "x-request-id", "mcp-session-id"])
        expect(exposed).toContain(name);
      await answer.body?.cancel();
    }
  });

  test.each([
    "https://evil.example",
    "https://app.example.evil",
    "http://app.example",
    "null",
    "https://app.example, x",
  ])("'%s' may not read, and its preflight request is refused", async (from) => {
    const asked = await preflight(keyed, from);
    expect([asked.status, corsOf(asked)]).toEqual([405, []]);
    const read = await fetch(`${keyed.url}/v1/agents`, { headers: { origin: from, "x-api-key": key } });
    expect([read.status, corsOf(read), read.headers.get("vary")]).toEqual([200, [], expect.stringContaining("Origin")]);
  });

  test("without the setting no page of another origin reads or writes", async () => {
    const asked = await preflight(closed, origin);
    expect([asked.status, corsOf(asked)]).toEqual([405, []]);
    const headers = { origin, authorization: `Bearer ${key}` };
    expect(corsOf(await fetch(`${closed.url}/v1/agents`, { headers }))).toEqual([]);
    expect((await fetch(`${closed.url}/v1/agents`, { method: "POST", headers })).status).toBe(403);
  });

  test("`*` is every origin, a file's too, and never with cookies", async () => {
    for (const from of ["https://evil.example", "null"]) {
      const asked = await preflight(anyOrigin, from);
      expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      const headers = { origin: from, "sec-fetch-site": "cross-site", "x-api-key": key };
      const written = await fetch(`${anyOrigin.url}/v1/agents`, { method: "POST", headers });
      expect([written.status, written.headers.get("access-control-allow-origin")]).toEqual([422, "*"]);
      expect(written.headers.has("access-control-allow-credentials")).toBe(false);
    }
  });

  test("a host that isn't ours is refused before an origin is looked at", async () => {
    const headers = ["Host: evil.example", `Origin: ${origin}`, "Access-Control-Request-Method: POST"];
    expect(await send(open, "OPTIONS /v1/execute HTTP/1.1", headers)).toBe(421);
  });
});

test("every operation that is no GET refuses a foreign page before anything else", async () => {
  const writes = operations.filter(({ method }) => method !== "get");
  expect(writes.length).toBeGreaterThan(60);
  for (const { method, path } of writes) {
    const headers = { "sec-fetch-site": "cross-site", authorization: `Bearer ${key}` };
    const url = keyed.url + path.replaceAll(/\{\w+\}/g, "x");
    const response = await fetch(url, { method: method.toUpperCase(), headers });
    expect([path, response.status, ((await response.json()) as { code: string }).code]).toEqual([
      path,
      403,
      "cross_site_request",
    ]);
  }
});

test("no GET changes anything: each of them is answered from a database that refuses writes", async () => {
  const url = new URL(stack.databaseUrl);
  url.searchParams.set("options", "-c default_transaction_read_only=on");
  const reader = await stack.openApi({ DATABASE_URL: url.href });
  await expect(post(reader.url)).resolves.toBe(503);
  const answers: [string, number][] = [];
  for (const { path, responses } of operations.filter(({ method }) => method === "get")) {
    if (Object.values(responses).some((answer) => answer.content_type === "text/event-stream")) continue;
    const response = await fetch(reader.url + path.replaceAll(/\{\w+\}/g, "x"));
    await response.arrayBuffer();
    answers.push([path, response.status]);
  }
  expect(answers.length).toBeGreaterThan(50);
  expect(answers.filter(([, status]) => status >= 500 && status !== 503)).toEqual([]);
});

const post = async (url: string): Promise<number> => {
  const body = JSON.stringify({ id: "somebody" });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${url}/v1/users`, { method: "POST", headers, body })).status;
};
