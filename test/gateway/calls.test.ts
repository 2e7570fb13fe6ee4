import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openListeningSocket } from "../../chaos/fuzz/listening-socket.ts";
import { placeholderKey } from "../../shared/domain/connection/sandbox-address.ts";
import type { CallAnswer, CallAsked, CallEnded, GatewayRun, OpenConnection } from "../../shared/schemas/gateway.ts";
import type { EgressListener, GatewayCalls } from "../../worker/gateway/egress.ts";
import { exchange } from "../harness/exchange.ts";
import { openModelProvider } from "../harness/model-provider.ts";
import { loopbackEgress } from "../worker/sandbox/open-levels.ts";
import { listen } from "./scene.ts";

const secret = "sk-real-0123456789abcdef";
const provider = await openModelProvider(secret);
const egress = loopbackEgress(["*"].map((host) => `${host}:${provider.port}`));
afterAll(() => {
  egress.close();
  provider.close();
});

const connection = (more: Partial<OpenConnection> = {}): OpenConnection => ({
  name: "openai",
  preset: "openai",
  base_url: `${provider.url}/v1`,
  kind: "bearer",
  header: null,
  username: null,
  secret,
  requests_per_minute: null,
  tokens_per_minute: null,
  ...more,
});
/** What the gateway asked and told of calls. */
const told: { asked: CallAsked[]; ended: CallEnded[]; left: number[] } = { asked: [], ended: [], left: [] };
const callsOf = (
  run: GatewayRun,
  answer: CallAnswer = { kind: "go", number: 1, output_most: null, entry_key: null },
): GatewayCalls => ({
  run: () => run,
  async ask(_call, asked) {
    told.asked.push(asked);
    return answer;
  },
  keep: async () => true,
  leave: (call) => void told.left.push(call),
  end: async (_call, ended) => told.ended.push(ended) > 0,
  lose: async () => false,
});
const runWith = (...connections: OpenConnection[]): GatewayCalls =>
  callsOf({ run_id: "run_1", attempt: 1, connections, approvals: [] });

/** A thousand names cost a look at the run's few connections each. */
const manyHosts = Array.from({ length: 1_000 }, (_, at) => `host-${at}.example:443`);

type Sandbox = { port: number; listener: EgressListener };

async function openSandbox(run: GatewayCalls | null, by = egress): Promise<Sandbox> {
  const { port, socket } = await openListeningSocket();
  const listener = by.open([]);
  listener.take(socket);
  listener.beginRun(run);
  onTestFinished(() => listener.close());
  return { port, listener };
}

const chat = { model: "gpt-5-mini", messages: [{ role: "user", content: "hello" }] };
const ask = ({ port }: Sandbox, path: string, init: RequestInit & { body?: string } = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body: JSON.stringify(chat),
    ...init,
    headers: { "content-type": "application/json", authorization: `Bearer ${placeholderKey}`, ...init.headers },
  });

test("the service gets the connection's key and none of the client's; the client gets no cookie and no key", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  provider.calls.length = 0;
  const answer = await ask(sandbox, "/openai/chat/completions", {
    headers: { cookie: "session=1", "x-api-key": placeholderKey, "openai-organization": "org" },
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("said hello")]);
  const [seen] = provider.calls;
  expect(seen).toMatchObject({ path: "/v1/chat/completions", key: secret });
  expect(seen?.headers).toMatchObject({ host: `127.0.0.1:${provider.port}`, "openai-organization": "org" });
  for (const field of ["cookie", "x-api-key"]) expect(seen?.headers).not.toHaveProperty(field);
  const streamed = await ask(sandbox, "/openai/chat/completions", { body: JSON.stringify({ ...chat, stream: true }) });
  expect(streamed.headers.get("set-cookie")).toBeNull();
  expect(await streamed.text()).toContain("[DONE]");
});

test("each kind sends its secret as it says, and the presets' libraries find their paths with and without a version", async () => {
  const basic = connection({
    name: "basic",
    preset: null,
    kind: "basic",
    username: "ada",
    base_url: `${provider.url}/api`,
  });
  const anthropic = connection({ name: "anthropic", preset: "anthropic", kind: "header", header: "x-api-key" });
  const google = connection({
    name: "google",
    preset: "google",
    kind: "header",
    header: "x-goog-api-key",
    base_url: provider.url,
  });
  const sandbox = await openSandbox(runWith(connection(), basic, anthropic, google));
  provider.calls.length = 0;
  for (const path of [
    "/openai/chat/completions",
    "/openai/v1/chat/completions",
    "/anthropic/messages",
    "/anthropic/v1/messages",
    `/google/v1beta/models/gemini-2.5-flash:generateContent?key=${placeholderKey}&alt=json`,
    "/basic/things?q=%2Fa",
  ])
    await (await ask(sandbox, path)).text();
  expect(provider.calls.map(({ path }) => path)).toEqual([
    "/v1/chat/completions",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1/messages",
    "/v1beta/models/gemini-2.5-flash:generateContent?alt=json",
    "/api/things?q=%2Fa",
  ]);
  expect(provider.calls.at(-1)?.headers.authorization).toBe(`Basic ${Buffer.from(`ada:${secret}`).toString("base64")}`);
  expect(provider.calls.slice(0, 5).map(({ key }) => key)).toEqual(Array.from({ length: 5 }, () => secret));
});

test("a key of the program's own, an unknown connection, a path that leads out, and a sandbox without a run are refused and not sent", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  const anthropic = await openSandbox(runWith(connection({ name: "anthropic", preset: "anthropic" })));
  const nobody = await openSandbox(null);
  provider.calls.length = 0;
  const codeOf = async (response: Promise<Response>) => {
    const { status, headers, body } = await response.then(async (one) => ({
      status: one.status,
      headers: one.headers,
      body: (await one.json()) as { type?: string; error: { type: string } },
    }));
    return [status, headers.get("x-should-retry"), body.error.type];
  };
  const own = { headers: { authorization: "Bearer sk-of-the-program" } };
  expect(await codeOf(ask(sandbox, "/openai/chat/completions", own))).toEqual([401, "false", "foreign_key"]);
  const inHeader = { headers: { "x-api-key": "sk-of-the-program" } };
  expect(await codeOf(ask(anthropic, "/anthropic/messages", inHeader))).toEqual([401, "false", "foreign_key"]);
  for (const field of ["X_Api_Key", "x-api_key"]) {
    const spelled = { headers: { [field]: "sk-of-the-program" } };
    expect(await codeOf(ask(anthropic, "/anthropic/messages", spelled))).toEqual([401, "false", "foreign_key"]);
  }
  const google = await openSandbox(runWith(connection({ name: "google", preset: "google", base_url: provider.url })));
  expect((await ask(google, "/google/v1beta/models/m:generateContent?key=AIza-of-the-program")).status).toBe(401);
  expect(await codeOf(ask(sandbox, "/anthropic/messages"))).toEqual([404, "false", "no_connection"]);
  expect(await codeOf(ask(nobody, "/openai/chat/completions"))).toEqual([403, "false", "no_run"]);
  const host = `Host: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
  for (const path of [
    "/openai/../admin",
    "/openai/%2e%2e/admin",
    "/openai/..%5cadmin/../../x",
    "/openai//../../admin",
    "/openai/..%2fadmin",
    "/openai/%252e%252e%252fadmin",
    "/openai/..;/admin",
  ]) {
    const answer = await exchange(sandbox.port, `POST ${path} HTTP/1.1\r\n${host}`, 5_000);
    expect([path, answer.split("\r\n")[0]]).toEqual([path, expect.stringMatching(/ 404 | 401 /)]);
  }
  expect(provider.calls).toEqual([]);
  await (await ask(sandbox, "/openai/files/a%2Fb..c?path=..%2fx")).text();
  expect(provider.calls.map(({ path }) => path)).toEqual(["/v1/files/a%2Fb..c?path=..%2fx"]);
});

test("a parameter that is called `key` is a secret for Google's services only", async () => {
  const own = connection({ name: "own", preset: null });
  const sandbox = await openSandbox(runWith(connection(), own));
  provider.calls.length = 0;
  for (const path of ["/own/echo?key=name", "/openai/echo?key=name"]) await (await ask(sandbox, path)).text();
  expect(provider.calls.map(({ path }) => path)).toEqual(["/v1/echo?key=name", "/v1/echo?key=name"]);
});

test("no parameter and no field of a call hides from the gateway what it costs, or which method it means", async () => {
  const google = connection({ name: "google", preset: "google", base_url: provider.url });
  const sandbox = await openSandbox(runWith(connection(), google));
  provider.calls.length = 0;
  const path = "/google/v1beta/models/gemini-2.5-flash:generateContent";
  const statusOf = async (to: string, init: Parameters<typeof ask>[2] = {}) => (await ask(sandbox, to, init)).status;
  for (const hiding of ["fields=candidates", "alt=proto", "callback=f", "%24alt=proto", "$fields=candidates", "a=b"])
    expect([hiding, await statusOf(`${path}?${hiding}`)]).toEqual([hiding, 400]);
  expect(await statusOf(path.replace("generateContent", "generate%43ontent?fields=candidates"))).toBe(400);
  for (const to of [`${path}?$httpMethod=POST`, "/openai/chat/completions?_method=POST"])
    expect([to, await statusOf(to, { method: "PUT" })]).toEqual([to, 400]);
  for (const field of ["x-http-method-override", "X_HTTP_Method_Override", "x-method-override", "x-http-method"])
    expect([field, await statusOf(path, { method: "PUT", headers: { [field]: "POST" } })]).toEqual([field, 400]);
  expect(provider.calls).toEqual([]);
  expect(await statusOf(`${path}?alt=json`, { headers: { "x-goog-fieldmask": "candidates" } })).toBe(200);
  expect(provider.calls[0]?.headers).not.toHaveProperty("x-goog-fieldmask");
});

test("a key that the service echoes is redacted: in headers, bodies, streams of single bytes, compressed answers", async () => {
  const echo = createServer((req: IncomingMessage, res) => {
    const said = `before ${req.headers.authorization} after ${JSON.stringify({ key: secret })}`;
    res.setHeader("x-echo", String(req.headers.authorization));
    if (req.url === "/gzip") return void res.setHeader("content-encoding", "gzip").end(gzipSync(said));
    if (req.url !== "/bytes") return void res.end(said);
    void (async () => {
      for (const byte of Buffer.from(said)) {
        res.write(Buffer.of(byte));
        await sleep(0);
      }
      res.end();
    })();
  });
  onTestFinished(() => void echo.close());
  const port = await listen(echo);
  const open = loopbackEgress([`*:${port}`]);
  onTestFinished(() => open.close());
  const base_url = `http://127.0.0.1:${port}`;
  const sandbox = await openSandbox(runWith(connection({ name: "echo", preset: null, base_url })), open);
  for (const path of ["/echo/plain", "/echo/bytes", "/echo/gzip"]) {
    const answer = await ask(sandbox, path);
    expect([path, answer.headers.get("x-echo")]).toEqual([path, "Bearer [redacted]"]);
    expect([path, await answer.text()]).toEqual([path, 'before Bearer [redacted] after {"key":"[redacted]"}']);
  }
});

test("a long event of a stream is read at both ends, and words of a tool's arguments end no answer", async () => {
  const google = connection({ name: "google", preset: "google", base_url: provider.url });
  const sandbox = await openSandbox(runWith(connection(), google));
  told.ended.length = 0;
  const streams = (text: string) =>
    provider.next.push((res) => void res.writeHead(200, { "content-type": "text/event-stream" }).end(text));
  const usage = { input_tokens: 30, output_tokens: 900_000 };
  const output = [{ type: "message", content: [{ type: "output_text", text: "x".repeat(3 * 1024 * 1024) }] }];
  const response = { id: "resp_1", model: "gpt-5-mini", output, usage };
  streams(
    `event: response.completed\ndata: ${JSON.stringify({ type: "response.completed", sequence_number: 9, response })}\n\n`,
  );
  await (await ask(sandbox, "/openai/responses", { body: '{"model":"gpt-5-mini","input":"x","stream":true}' })).text();
  const counted = { input: 30, cached: 0, cache_write: 0, output: 900_000 };
  await expect
    .poll(() => told.ended[0])
    .toMatchObject({ is_whole: true, pieces: 1, model: "gpt-5-mini", usage: counted });
  const kept: string[] = [];
  const recording: GatewayCalls = {
    ...callsOf(
      { run_id: "run_1", attempt: 1, connections: [connection(), google], approvals: [] },
      { kind: "go", number: 1, output_most: null, entry_key: "call:1" },
    ),
    keep: async (_call, { body }) => kept.push(Buffer.from(body, "base64").toString()) > 0,
  };
  const recorded = await openSandbox(recording);
  const parts = [{ functionCall: { name: "note", args: { type: "error", was: { type: "response.completed" } } } }];
  const candidates = [{ content: { parts }, finishReason: "STOP" }];
  streams(
    `data: ${JSON.stringify({ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 } })}\n\n`,
  );
  await (await ask(recorded, "/google/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse")).text();
  expect(kept).toHaveLength(1);
  // A schema that is said again in an answer's first event doesn't end it.
  const tools = [{ type: "function", parameters: { default: { type: "response.completed" } } }];
  streams(`data: ${JSON.stringify({ type: "response.created", response: { tools } })}\n\n`);
  await (await ask(recorded, "/openai/responses", { body: '{"model":"m","input":"x","stream":true}' })).text();
  expect(kept).toHaveLength(1);
});

test("a call belongs to the run that the worker names: the next run's calls go by its own connections, and calls in flight are cut", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  provider.next.push((res) => void res.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n"));
  const cut = ask(sandbox, "/openai/chat/completions").then((answer) => answer.text());
  cut.catch(() => undefined);
  await expect.poll(() => provider.next.length).toBe(0);
  const next = connection({ secret: "sk-of-the-next-run-1" });
  sandbox.listener.beginRun(callsOf({ run_id: "run_2", attempt: 1, connections: [next], approvals: [] }));
  await expect(cut).rejects.toThrow(/terminated|aborted|closed/);
  provider.calls.length = 0;
  expect((await ask(sandbox, "/openai/chat/completions")).status).toBe(401);
  expect(provider.calls.map(({ key }) => key)).toEqual(["sk-of-the-next-run-1"]);
  sandbox.listener.beginRun(null);
  expect((await ask(sandbox, "/openai/chat/completions")).status).toBe(403);
});

test("a gateway that is replaced knows whose calls they are", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  expect((await ask(sandbox, "/openai/chat/completions")).status).toBe(200);
  const before = egress.gatewayPid();
  process.kill(before ?? 0, "SIGKILL");
  await expect.poll(() => egress.gatewayPid(), { timeout: 20_000 }).not.toBe(before);
  expect((await ask(sandbox, "/openai/chat/completions")).status).toBe(200);
});

test("calls of a gateway that dies are lost, also where no sandbox needs another gateway", async () => {
  const open = loopbackEgress([`*:${provider.port}`]);
  onTestFinished(() => open.close());
  const lost: number[] = [];
  const run = { run_id: "run_1", attempt: 1, connections: [connection()], approvals: [] };
  const calls: GatewayCalls = {
    ...callsOf(run, { kind: "go", number: 1, output_most: null, entry_key: "call:1" }),
    lose: async (call) => lost.push(call) > 0,
  };
  const sandbox = await openSandbox(calls, open);
  provider.calls.length = 0;
  provider.next.push(() => undefined);
  const asking = ask(sandbox, "/openai/chat/completions");
  asking.catch(() => undefined);
  await expect.poll(() => provider.calls.length, { timeout: 5_000 }).toBe(1);
  sandbox.listener.close();
  await expect(asking).rejects.toThrow("fetch failed");
  process.kill(open.gatewayPid() ?? 0, "SIGKILL");
  await expect.poll(() => lost.length, { timeout: 10_000 }).toBe(1);
});

test("no other way leads out of a sandbox whose agent only has connections", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  for (const request of [
    `GET http://localhost:${provider.port}/v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    `CONNECT localhost:${provider.port} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  ])
    expect(await exchange(sandbox.port, request, 5_000)).toMatch(/^HTTP\/1.1 403 /);
});

describe("by the service's own name", () => {
  const authority = `127.0.0.1:${provider.port}`;
  /** Opens a tunnel. Returns its connection, or what the gateway answered instead. */
  const tunnel = ({ port }: Sandbox, to = authority): Promise<Socket | string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1");
      onTestFinished(() => void socket.destroy());
      socket.once("error", reject).write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
      socket.once("data", (head: Buffer) => resolve(/^HTTP\/1.1 200/.test(String(head)) ? socket : String(head)));
    });
  /** Begins TLS in a tunnel, as a client that trusts what a sandbox does. */
  async function secure(sandbox: Sandbox, more: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = await tunnel(sandbox);
    if (typeof socket === "string") throw new Error(socket);
    const secured = connectTls({ socket, host: "127.0.0.1", ca: egress.trust.authority, ...more });
    await once(secured, "secureConnect");
    return secured;
  }
  const post = (path: string, fields = ""): string => {
    const body = JSON.stringify(chat);
    return `POST ${path} HTTP/1.1\r\nHost: ${authority}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n${fields}Connection: close\r\n\r\n${body}`;
  };
  const say = (socket: TLSSocket, request: string): Promise<string> => {
    socket.write(request);
    return text(socket);
  };

  test("TLS ends at the gateway: the call has the connection's key and is asked for and told of as any other", async () => {
    const sandbox = await openSandbox(runWith(connection()));
    provider.calls.length = told.asked.length = told.ended.length = 0;
    const key = `Authorization: Bearer ${placeholderKey}\r\n`;
    const answer = await say(await secure(sandbox), post("/v1/chat/completions", key));
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*said hello/);
    expect(provider.calls).toMatchObject([{ path: "/v1/chat/completions", key: secret }]);
    const asked = { connection: "openai", host: authority, path: "/v1/chat/completions", model: "gpt-5-mini" };
    expect(told.asked).toMatchObject([asked]);
    await expect
      .poll(() => told.ended)
      .toMatchObject([{ status: 200, is_whole: true, usage: { output: provider.calls[0]?.tokens[1] } }]);
    // Without TLS, as by a service of one's own network.
    const plain = post(`http://${authority}/v1/chat/completions`);
    expect(await exchange(sandbox.port, plain, 10_000)).toMatch(/^HTTP\/1.1 200 [^]*said hello/);
    expect(provider.calls.map(({ key: seen }) => seen)).toEqual([secret, secret]);
  });

  test("what means another host, leads out or brings a key of its own isn't sent", async () => {
    const sandbox = await openSandbox(runWith(connection()));
    provider.calls.length = 0;
    for (const [request, answer] of [
      [post("/v1/models").replace(`Host: ${authority}`, "Host: api.other.example"), /^HTTP\/1.1 421 /],
      [post("/v1/models").replace(`Host: ${authority}\r\n`, ""), /^HTTP\/1.1 4\d\d /],
      [post("/admin"), /^HTTP\/1.1 404 [^]*leads out/],
      [post("/v1/..%2fadmin"), /^HTTP\/1.1 404 [^]*leads out/],
      [post("http://api.other.example/v1/models"), /^HTTP\/1.1 404 /],
      [post("/v1/models", "Authorization: Bearer sk-of-its-own\r\n"), /^HTTP\/1.1 401 [^]*foreign_key/],
      [`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`, /^HTTP\/1.1 400 /],
    ] as const)
      expect(await say(await secure(sandbox), request)).toMatch(answer);
    const other = { servername: "api.other.example", checkServerIdentity: () => undefined };
    await expect(secure(sandbox, other)).rejects.toThrow(/alert|ECONNRESET|socket/i);
    await expect(secure(sandbox, { ALPNProtocols: ["h2"] })).rejects.toThrow(/alert|ECONNRESET|socket/i);
    // Another run's service, and the same host's other ports.
    for (const to of ["api.anthropic.com:443", `127.0.0.1:${provider.port + 1}`, ...manyHosts])
      expect(await tunnel(sandbox, to)).toMatch(/^HTTP\/1.1 403 /);
    expect(provider.calls).toEqual([]);
    expect(await egress.faults()).toBe(0);
  });

  test("a handshake that doesn't come holds nobody else; the next run's tunnels are its own, and the last run's are closed", async () => {
    const sandbox = await openSandbox(runWith(connection()));
    const slow = await tunnel(sandbox);
    if (typeof slow === "string") throw new Error(slow);
    // A handshake's first bytes: a record of 512 bytes begins.
    const hello = [...Buffer.from("1603010200010001fc0303", "hex")];
    const drip = setInterval(() => slow.write(Buffer.from([hello.shift() ?? 0])), 50);
    onTestFinished(() => clearInterval(drip));
    const idle = await secure(sandbox);
    expect(await say(await secure(sandbox), post("/v1/chat/completions"))).toContain("said hello");
    clearInterval(drip);
    const closed = Promise.all([once(slow, "close"), once(idle, "close")]);
    await sandbox.listener.endRun();
    await closed;
    const next = connection({ secret: "sk-of-the-next-run-2" });
    sandbox.listener.beginRun(callsOf({ run_id: "run_2", attempt: 1, connections: [next], approvals: [] }));
    provider.calls.length = 0;
    expect(await say(await secure(sandbox), post("/v1/chat/completions"))).toContain("HTTP/1.1 401");
    expect(provider.calls.map(({ key }) => key)).toEqual(["sk-of-the-next-run-2"]);
  });
});

test("a client that goes away in mid-stream leaves nothing open at the service", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  let closed = false;
  provider.next.push((res) => {
    res.once("close", () => (closed = true));
    res.writeHead(200, { "content-type": "text/event-stream" }).write("data: {}\n\n");
  });
  const socket = connect(sandbox.port, "127.0.0.1");
  const body = JSON.stringify(chat);
  socket.write(
    `POST /openai/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, "data");
  socket.destroy();
  await expect.poll(() => closed, { timeout: 5_000 }).toBe(true);
});

const answers = {
  chat: { path: "/openai/chat/completions", body: chat },
  responses: { path: "/openai/responses", body: { model: "gpt-5-mini", input: "hello" } },
  anthropic: { path: "/anthropic/v1/messages", body: { ...chat, max_tokens: 50 } },
  google: {
    path: "/google/v1beta/models/gemini-2.5-flash:generateContent",
    body: { contents: [{ parts: [{ text: "hello" }] }] },
  },
};

test.each(Object.entries(answers))(
  "tokens of %s are the service's own count, of a whole answer and of a stream, and the client sees what it asked for",
  async (name, { path, body }) => {
    const sandbox = await openSandbox(
      runWith(
        connection(),
        connection({ name: "anthropic", preset: "anthropic", kind: "header", header: "x-api-key" }),
        connection({
          name: "google",
          preset: "google",
          kind: "header",
          header: "x-goog-api-key",
          base_url: provider.url,
        }),
      ),
    );
    const model = name === "google" ? "gemini-2.5-flash" : "gpt-5-mini";
    for (const stream of [false, true]) {
      told.asked.length = told.ended.length = provider.calls.length = 0;
      const to = stream ? path.replace("generateContent", "streamGenerateContent?alt=sse") : path;
      const sent = name === "google" ? body : { ...body, stream };
      const text = await (await ask(sandbox, to, { body: JSON.stringify(sent) })).text();
      expect(text).toContain("hello");
      await expect.poll(() => told.ended.length).toBe(1);
      const [input, output] = provider.calls[0]?.tokens ?? [];
      expect([stream, told.ended[0]]).toEqual([
        stream,
        expect.objectContaining({
          status: 200,
          is_whole: true,
          usage: { input, cached: 0, cache_write: 0, output },
          model,
        }),
      ]);
      expect(told.asked[0]).toMatchObject({
        is_metered: true,
        model,
      });
      expect(told.asked[0]?.input_most).toBeGreaterThanOrEqual(input ?? Infinity);
      // The usage that nobody asked for is taken out again.
      if (name === "chat" && stream) {
        expect(provider.calls[0]?.body.stream_options).toEqual({ include_usage: true });
        expect([text.includes('"usage"'), text.includes("[DONE]")]).toEqual([false, true]);
      }
    }
  },
);

test("usage in a stream stays where the client asks for it, and an answer's length is bounded where the worker says so", async () => {
  const run = { run_id: "run_1", attempt: 1, connections: [connection()], approvals: [] };
  const sandbox = await openSandbox(callsOf(run, { kind: "go", number: 1, output_most: 321, entry_key: null }));
  provider.calls.length = 0;
  const body = JSON.stringify({ ...chat, stream: true, stream_options: { include_usage: true } });
  expect(await (await ask(sandbox, "/openai/chat/completions", { body })).text()).toContain('"usage"');
  expect(provider.calls[0]?.body).toMatchObject({ max_completion_tokens: 321 });
});

test("of a call that a person is asked about the worker is shown what leaves; a form with another boundary is the same call", async () => {
  const run = { run_id: "run_1", attempt: 1, connections: [connection({ name: "shop", preset: null })] };
  const approvals = [{ method: "DELETE" }, { path: "/v1/echo*" }];
  const sandbox = await openSandbox(callsOf({ ...run, approvals }));
  told.asked.length = 0;
  const form = (boundary: string, text: string) => ({
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `--${boundary}\r\ncontent-disposition: form-data; name=a\r\n\r\n${text}\r\n--${boundary}--\r\n`,
  });
  provider.calls.length = 0;
  await ask(sandbox, "/shop/echo?x=1", { method: "PUT", body: "give\u0007 all" });
  for (const init of [form("one", "x"), form("two", "x"), form("two", "y")]) await ask(sandbox, "/shop/echo", init);
  await ask(sandbox, "/shop/other");
  const [put, first, second, other, unasked] = told.asked;
  expect(put?.approval).toEqual({ url: `${provider.url}/v1/echo?x=1`, shown: "give  all", bytes: 9 });
  expect(second?.record).toEqual(first?.record);
  expect(other?.record).not.toEqual(first?.record);
  expect(unasked).toMatchObject({ approval: null, record: null });
  for (const [field, value] of [
    ["x-http-method-override", "DELETE"],
    ["x-http-method-override", "GET, DELETE"],
    ["X_HTTP_Method_Override", "delete"],
    ["x-http_method", "DELETE,POST"],
  ] as const) {
    const override = await ask(sandbox, "/shop/other", { headers: { [field]: value } });
    expect([field, value, override.status, told.asked.length]).toEqual([field, value, 400, 5]);
  }
});

test("a person's yes is for these bytes: no field, and no word that is called a boundary, makes another body the same call", async () => {
  const run = { run_id: "run_1", attempt: 1, connections: [connection()] };
  const sandbox = await openSandbox(callsOf({ ...run, approvals: [{}] }));
  told.asked.length = 0;
  const pays = (kind: string, body: string) =>
    ask(sandbox, "/openai/echo", { headers: { "content-type": kind }, body });
  await pays("application/json; boundary=alice", '{"to":"alice","usd":5}');
  await pays("application/json; boundary=mallory", '{"to":"mallory","usd":5}');
  const form = (boundary: string, to: string) =>
    pays(`multipart/form-data; boundary=${boundary}`, `--${boundary}\r\n\r\n${to}\r\n--${boundary}--\r\n`);
  await form("alice", "to alice");
  await form("mallory", "to mallory");
  for (const metadata of [{ to: "alice" }, { to: "mallory" }])
    await ask(sandbox, "/openai/chat/completions", { body: JSON.stringify({ ...chat, metadata }) });
  const keys = told.asked.map(({ record }) => record?.key);
  expect([keys.length, new Set(keys).size]).toEqual([6, 6]);
});

test("the worker is told when a client goes away that waits for its word, and a call that it lets go then has ended", async () => {
  let say = (_answer: CallAnswer): void => undefined;
  const answer = new Promise<CallAnswer>((resolve) => (say = resolve));
  const waits: GatewayCalls = { ...runWith(connection()), ask: () => answer };
  const sandbox = await openSandbox(waits);
  told.ended.length = told.left.length = provider.calls.length = 0;
  const gone = new AbortController();
  const asking = ask(sandbox, "/openai/chat/completions", { signal: gone.signal });
  setTimeout(() => gone.abort(), 200);
  await expect(asking).rejects.toThrow("aborted");
  await expect.poll(() => told.left.length, { timeout: 5_000 }).toBe(1);
  say({ kind: "go", number: 1, output_most: null, entry_key: null });
  await expect.poll(() => told.ended.length, { timeout: 5_000 }).toBe(1);
  expect(told.ended[0]).toMatchObject({ status: null, is_lost: false });
  expect(provider.calls).toEqual([]);
});

test("what a call costs is unknown whose client goes away before the service answers", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  told.ended.length = 0;
  const gone = new AbortController();
  provider.next.push(() => gone.abort());
  await expect(ask(sandbox, "/openai/chat/completions", { signal: gone.signal })).rejects.toThrow("aborted");
  await expect.poll(() => told.ended.length, { timeout: 5_000 }).toBe(1);
  expect(told.ended[0]).toMatchObject({ status: null, is_lost: true });
});

test("what a call costs is unknown that left and wasn't answered; one that reached nobody costs nothing", async () => {
  const unreached = connection({ name: "nobody", base_url: "http://127.0.0.1:1/v1" });
  const sandbox = await openSandbox(runWith(connection(), unreached));
  told.ended.length = 0;
  provider.next.push((res) => void res.destroy());
  for (const name of ["openai", "nobody"])
    expect((await ask(sandbox, `/${name}/chat/completions`)).status).toBeGreaterThanOrEqual(403);
  await expect.poll(() => told.ended.length, { timeout: 5_000 }).toBe(2);
  expect(told.ended.map(({ status, is_lost }) => [status, is_lost])).toEqual([
    [null, true],
    [null, false],
  ]);
});

test("a request to a model that can't be read isn't sent: its answer could not be bounded", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  provider.calls.length = 0;
  for (const body of [
    gzipSync(JSON.stringify(chat)),
    "\ufeff{}",
    "[]",
    "nothing",
    `{"a":${"[".repeat(200)}${"]".repeat(200)}}`,
  ]) {
    const init = { body: body as string, headers: { "content-encoding": "gzip" } };
    expect((await ask(sandbox, "/openai/chat/completions", init)).status).toBe(400);
  }
  expect(provider.calls).toEqual([]);
});

test("a client that hangs up in mid-body is no error of the gateway's", async () => {
  const { port } = await openSandbox(runWith(connection()));
  const head = "POST /openai/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 9999\r\n\r\n{";
  for (let n = 0; n < 20; n += 1) {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
  }
  expect((await ask({ port } as Sandbox, "/openai/chat/completions")).status).toBe(200);
  expect(await egress.faults()).toBe(0);
});

test("a service that has closed an idle connection is asked on another one", async () => {
  // It ends with each answer, and goes on reading.
  const service = createTcpServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  });
  onTestFinished(() => void service.close());
  const port = await listen(service);
  const by = loopbackEgress([`*:${port}`]);
  onTestFinished(() => by.close());
  const sandbox = await openSandbox(
    runWith(connection({ name: "own", preset: null, base_url: `http://127.0.0.1:${port}` })),
    by,
  );
  for (let n = 0; n < 4; n += 1) {
    const answer = await ask(sandbox, "/own/x", { signal: AbortSignal.timeout(5_000) });
    expect(await answer.text()).toBe("ok");
    await sleep(20);
  }
});

test("a refusal has the service's shape of an error, and isn't sent", async () => {
  const refused: CallAnswer = { kind: "refused", status: 402, code: "budget_exceeded", reason: "No more." };
  const anthropic = connection({ name: "anthropic", preset: "anthropic" });
  const google = connection({ name: "google", preset: "google" });
  const sandbox = await openSandbox(
    callsOf({ run_id: "run_1", attempt: 1, connections: [connection(), anthropic, google], approvals: [] }, refused),
  );
  provider.calls.length = 0;
  for (const [path, error] of [
    [
      "/openai/chat/completions",
      { error: { type: "budget_exceeded", message: "No more.", param: null, code: "budget_exceeded" } },
    ],
    ["/anthropic/messages", { type: "error", error: { type: "budget_exceeded", message: "No more." } }],
    [
      "/google/v1beta/models/g:generateContent",
      { error: { code: 402, message: "No more.", status: "BUDGET_EXCEEDED" } },
    ],
  ] as const) {
    const answer = await ask(sandbox, path);
    expect([answer.status, answer.headers.get("x-should-retry"), await answer.json()]).toEqual([402, "false", error]);
  }
  expect(provider.calls).toEqual([]);
});

test("what is read is bounded: a request of more than 32 MiB is refused, and a stream of one endless event is passed on", async () => {
  const sandbox = await openSandbox(runWith(connection()));
  const large = JSON.stringify({ ...chat, pad: "x".repeat(33 * 1024 * 1024) });
  const refusal = await ask(sandbox, "/openai/chat/completions", { body: large }).catch(() => null);
  expect([null, 413]).toContain(refusal?.status ?? null);
  told.ended.length = 0;
  provider.next.push((res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.end(`data: ${"x".repeat(3 * 1024 * 1024)}\n\ndata: [DONE]\n\n`);
  });
  const answer = await (await ask(sandbox, "/openai/chat/completions")).text();
  expect(answer.length).toBe(3 * 1024 * 1024 + "data: \n\ndata: [DONE]\n\n".length);
  await expect.poll(() => told.ended[0]).toMatchObject({ status: 200, usage: null });
});
