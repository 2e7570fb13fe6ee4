import { once } from "node:events";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningApp, listen } from "./listen.ts";
import { waitFor } from "../../harness/wait-for.ts";
import { postParts, type RawAnswer, rawRequest } from "./raw-request.ts";
import { samples } from "./samples.ts";

let app: RunningApp;
beforeAll(async () => {
  app = await listen(samples);
});
afterAll(() => app.close());

const send = (body: string | Buffer, headers?: readonly string[]) =>
  rawRequest(app.port, postParts("/v1/runs", body, headers));
const firstFault = ({ status, body }: { status: number; body: string }) => ({ status, ...JSON.parse(body).detail[0] });

const get = (path: string, init: RequestInit = {}) => fetch(`${app.url}${path}`, init);

describe("a body that can't be taken is a 422 that says why", () => {
  const nested = (depth: number) => `{"id":"r1","input":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;

  it("takes 64 levels of JSON, and no more, however deep", async () => {
    expect((await send(nested(63))).status).toBe(201);
    for (const depth of [64, 5_000, 200_000])
      expect(firstFault(await send(nested(depth)))).toMatchObject({
        status: 422,
        loc: ["body"],
        msg: "Value error, JSON nested deeper than 64 levels",
      });
  });

  it("isn't misled by brackets within strings", async () => {
    const brackets = '[{\\"'.repeat(1000);
    expect((await send(`{"id":"r1","input":{"a":"${brackets}\\\\"}}`)).status).toBe(201);
  });

  it("refuses invalid UTF-8, and takes a byte order mark", async () => {
    expect(firstFault(await send(Buffer.from([0x7b, 0xff, 0x7d])))).toMatchObject({
      status: 422,
      type: "json_invalid",
      ctx: { error: "Invalid UTF-8" },
    });
    expect((await send(`\ufeff{"id":"r1"}`)).status).toBe(201);
  });

  it.each([
    ["NUL", String.raw`{"id":"a","env":{"A":"\u0000"}}`, "value_error", ["body", "env", "A"]],
    ["half a surrogate pair", String.raw`{"id":"a","env":{"A":"\ud800"}}`, "string_unicode", ["body", "env", "A"]],
    ["a number under __proto__", `{"id":"a","env":{"__proto__":1}}`, "string_type", ["body", "env", "__proto__"]],
    ["null", "null", "missing", ["body"]],
    ["a list", "[]", "model_attributes_type", ["body"]],
    ["nothing", "", "missing", ["body"]],
    ["an id of 129 characters", `{"id":"${"a".repeat(129)}"}`, "string_too_long", ["body", "id"]],
    ["an id of another alphabet", `{"id":"../.."}`, "string_pattern_mismatch", ["body", "id"]],
    ["1e309", `{"id":"a","priority":1e309}`, "int_parsing_size", ["body", "priority"]],
  ])("refuses %s", async (_, body, type, loc) => {
    expect(firstFault(await send(body))).toMatchObject({ status: 422, type, loc });
  });

  it("keeps a key named __proto__, and lets the last of two same keys win", async () => {
    const { body } = await send(`{"id":"x","input":{"__proto__":{"admin":true}},"env":{"__proto__":"v"},"id":"r1"}`);
    expect(JSON.parse(JSON.parse(body).got)).toEqual(
      JSON.parse(`{"id":"r1","input":{"__proto__":{"admin":true}},"env":{"__proto__":"v"},"priority":5}`),
    );
  });
});

describe("a body that is too large, or never whole, costs little", () => {
  it("is refused by its length before it is read", async () => {
    const [head] = postParts("/v1/runs", "x".repeat(7 * 1024 * 1024));
    const { status, body } = await rawRequest(app.port, [head]);
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 413, code: "payload_too_large" });
  });

  it("is told so even when the client sends all of it", async () => {
    const response = await get("/v1/runs", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "x".repeat(20 * 1024 * 1024),
    });
    expect(response.status).toBe(413);
  });

  it("is refused in chunks as soon as the chunks are too many", async () => {
    const chunk = `100000\r\n${"x".repeat(0x100000)}\r\n`;
    const head =
      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect((await rawRequest(app.port, [head, ...Array<string>(8).fill(chunk)])).status).toBe(413);
  });

  it("is refused when it is compressed", async () => {
    const { status, body } = await send(gzipSync("0".repeat(100_000)), ["Content-Encoding: gzip"]);
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 400, code: "content_encoding_not_supported" });
  });

  it("is given up when the rest of it doesn't come", async () => {
    const impatient = await listen(samples, 300);
    const [head] = postParts("/v1/runs", "x".repeat(100));
    const started = Date.now();
    const { status, body } = await rawRequest(impatient.port, [head, "only a part"]);
    await impatient.close();
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 408, code: "request_timeout" });
    expect(Date.now() - started).toBeLessThan(4_000);
  });

  it("is given up earlier where the operation says so", async () => {
    const [head] = postParts("/signed", "x".repeat(100));
    const started = Date.now();
    const { status, body } = await rawRequest(app.port, [head, "only a part"]);
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 400, code: "body_incomplete" });
    expect(Date.now() - started).toBeLessThan(4_000);
  });

  it("without a key is refused while as much from its address is in memory as may be, and taken afterwards", async () => {
    const part = "x".repeat(900_000);
    const [head] = postParts("/signed", `${part}x`);
    const first = connect(app.port, "127.0.0.1");
    first.write(`${String(head)}${part}`);
    const whole = (): Promise<RawAnswer> => rawRequest(app.port, postParts("/signed", part));
    const { headers, body } = await waitFor(async () => {
      const answer = await whole();
      return answer.status === 503 ? answer : null;
    }, 5_000);
    expect({ code: JSON.parse(body).code, retry: /retry-after: \d/i.test(headers) }).toEqual({
      code: "too_many_bodies",
      retry: true,
    });
    first.destroy();
    await waitFor(async () => (await whole()).status === 200, 5_000);
  });

  it("may be longer than it says, or break off, without harm to the next request", async () => {
    const [head, body] = postParts("/v1/runs", `{"id":"r1"}`);
    const lie = head.replace("Length: 11", "Length: 5");
    expect((await rawRequest(app.port, [lie, body, "garbage"])).status).toBe(400);

    const socket = connect(app.port, "127.0.0.1").end(`${String(head)}{"id"`);
    await once(socket.resume(), "close");
    expect((await send(`{"id":"r1"}`)).status).toBe(201);
  });
});

describe("what isn't well-formed HTTP is a 4xx in JSON", () => {
  it.each([
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 400],
    ["an unknown method", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 400],
    ["two lengths", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400],
    [
      "a length and chunks",
      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["a length below zero", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400],
    [
      "a bad chunk",
      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      400,
    ],
    ["NUL in a header", "GET /v1/runs HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n", 400],
    ["too many headers", `GET /v1/runs HTTP/1.1\r\nHost: x\r\n${"A: b\r\n".repeat(100_000)}\r\n`, 431],
  ])("%s", async (_, bytes, expected) => {
    const { status, body } = await rawRequest(app.port, [bytes]);
    expect(status).toBe(expected);
    expect(JSON.parse(body)).toEqual({
      detail: expect.any(String),
      code: expect.any(String),
      request_id: expect.stringMatching(/^req_/),
    });
  });
});

describe("paths and methods", () => {
  it("answers 404 in JSON for a path it doesn't know", async () => {
    const response = await get("/nope?secret=1");
    expect([response.status, await response.json()]).toEqual([
      404,
      { detail: "Not Found", code: "not_found", request_id: response.headers.get("x-request-id") },
    ]);
  });

  it.each([
    ["DELETE", "/v1/runs", "GET, HEAD, POST"],
    ["OPTIONS", "/v1/runs/r1", "GET, HEAD"],
    ["GET", "/signed", "POST"],
    ["HEAD", "/signed", "POST"],
  ])("answers 405 to %s %s and says what is allowed", async (method, path, allowed) => {
    const response = await get(path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allowed]);
  });

  it("answers HEAD as GET without its body, on a stream too", async () => {
    const response = await get("/v1/runs/r1", { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect((await get("/stream", { method: "HEAD" })).status).toBe(200);
  });

  it.each([
    ["/v1/runs/a%2Fb%3F", 200, "a/b?"],
    ["/v1/runs/%E2%9C%93", 200, "✓"],
    ["/v1/runs/mine", 200, "the one that is mine"],
    ["/v1/runs/..%2F..", 200, "../.."],
  ])("decodes %s", async (path, status, id) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([status, { id, note: null }]);
  });

  it.each(["/v1/runs/%", "/v1/runs/%zz", "/v1/runs/%ff", "/v1/runs/%00", "/v1/runs/a/b", "//v1/runs"])(
    "answers %s with a 4xx",
    async (path) => {
      const { status } = await rawRequest(app.port, [`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`]);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    },
  );
});

describe("input", () => {
  it("takes the last of a repeated query field", async () => {
    const response = await get("/v1/runs?limit=1&limit=7");
    expect(await response.json()).toMatchObject({ data: [{ id: "7" }] });
  });

  it("names each unknown query field, also words such as __proto__", async () => {
    const { detail } = (await (await get("/v1/runs?__proto__=x&constructor=y&%=z")).json()) as {
      detail: { loc: string[] }[];
    };
    expect(detail.map(({ loc }) => loc[1])).toEqual(["__proto__", "constructor", "%"]);
  });

  it("lists the faults of path, query, headers and body together, in FastAPI's order", async () => {
    const { body } = await send("{}", [`Idempotency-Key: ${"k".repeat(65)}`]);
    expect(JSON.parse(body).detail.map(({ loc }: { loc: string[] }) => loc)).toEqual([
      ["header", "idempotency-key"],
      ["body", "id"],
    ]);
  });

  it("hands the bytes of a raw body over as they came", async () => {
    expect((await rawRequest(app.port, postParts("/signed", "{bad\0"))).body).toBe('{"bytes":5}');
  });
});
