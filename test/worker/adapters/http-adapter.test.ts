import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHttpAdapter } from "../../../worker/adapters/http/http-adapter.ts";
import { agentRequest, runAgent } from "./run-agent.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const adapter = createHttpAdapter({
  allowCidrs: ["127.0.0.0/8"],
  secretsOf: async () => [secret],
  now: async () => new Date(),
});
const closed = new Map<string, Promise<unknown>>();
let server: Server;
let base: string;

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;
const stream = (res: ServerResponse, type: string, parts: string[]): void => {
  res.writeHead(200, { "content-type": type });
  for (const part of parts) res.write(part);
  res.end();
};
const handlers: Record<string, Handler> = {
  "/sse": (_req, res) =>
    stream(res, "text/event-stream", [
      'data: {"type":"output","content":"eins"}\n\n',
      'event: output\ndata: {"content":"zw',
      'ei"}\n\ndata: plain text\n\ndata: {"free": 1}\n\n',
      'event: log\ndata: {"message":"noted"}\n\n',
      'data: {"type":"result","result_content":{"ok":true}}\n\ndata: [DONE]\n\n',
    ]),
  "/ndjson": (_req, res) =>
    stream(res, "application/x-ndjson", [
      '{"type":"output","content":1}\n{"a"',
      ':2}\n{"type":"result","result_content":[3]}',
    ]),
  "/json": (_req, res) => stream(res, "application/json; charset=utf-8", ['{"answer":', "42}"]),
  "/text": (_req, res) => stream(res, "text/plain", ["hal", "lo ✓"]),
  "/not-json": (_req, res) => stream(res, "application/json", ["<html>"]),
  "/refuses": (_req, res) => void res.writeHead(500).end("no such luck"),
  "/redirects": (_req, res) => void res.writeHead(302, { location: "/json" }).end(),
  "/breaks": (_req, res) => {
    res.writeHead(200, { "content-type": "text/plain" }).write("half");
    setImmediate(() => res.destroy());
  },
  "/echo": async (req, res) => {
    const body = await text(req);
    stream(res, "application/json", [JSON.stringify({ headers: req.headers, body })]);
  },
  "/hangs": (req, res) => {
    closed.set("/hangs", once(res, "close"));
    res.writeHead(200, { "content-type": "text/plain" }).write("up");
    void req;
  },
  "/runfleet": (_req, res) =>
    stream(res, "text/event-stream", [
      'event: run.started\ndata: {"type":"run.started"}\n\n',
      'event: output.delta\ndata: {"type":"output.delta","content":"from afar"}\n\n',
      'event: run.success\ndata: {"type":"run.success","result_content":{"ok":1}}\n\n',
    ]),
  "/openai": (_req, res) =>
    stream(res, "text/event-stream", [
      'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hel"}}]}\n\n',
      'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"lo"}}]}\n\n',
      'data: {"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\n',
      "data: [DONE]\n\n",
    ]),
  "/error-frame": (_req, res) =>
    stream(res, "text/event-stream", ['data: {"type":"error","message":"overloaded"}\n\n']),
  "/error-event": (_req, res) => stream(res, "text/event-stream", ["event: error\ndata: overloaded\n\n"]),
  "/error-openai": (_req, res) =>
    stream(res, "text/event-stream", ['data: {"error":{"message":"overloaded","type":"server_error"}}\n\n']),
  "/error-runfleet": (_req, res) =>
    stream(res, "text/event-stream", [
      'event: run.error\ndata: {"type":"run.error","error":{"code":"x","type":"E","message":"overloaded"}}\n\n',
    ]),
  "/cut-json": (_req, res) => stream(res, "text/event-stream", ['data: {"type":"output","content":1}\n\ndata: {"typ']),
  "/cut-text": (_req, res) => stream(res, "text/event-stream", ["data: one\n\ndata: tw"]),
  "/cut-lines": (_req, res) => stream(res, "application/x-ndjson", ['{"type":"output","content":1}\n{"type":"res']),
  "/bad-frame": (_req, res) => stream(res, "text/event-stream", ['data: {"type":"tool.start","name":"x"}\n\n']),
  "/later": (_req, res) => void res.writeHead(202).end(),
};

beforeAll(async () => {
  server = createServer((req, res) => void handlers[req.url ?? ""]?.(req, res)).listen(0, "127.0.0.1");
  await once(server, "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await adapter.close();
  server.closeAllConnections();
  server.close();
});

const at = (path: string) =>
  agentRequest("chatty", {
    url: base + path,
    code: { "prompt.txt": "be kind" },
    env: { API_KEY: "k" },
    input_payload: { q: 1 },
  });
const run = (path: string) => runAgent(adapter, at(path));

test("Server-Sent Events are frames by type or event name, and anything else is output", async () => {
  const { outputs, frames, result } = await run("/sse");
  expect(outputs).toEqual(["eins", "zwei", "plain text", { free: 1 }]);
  expect(frames).toContainEqual({ type: "log", level: "info", stream: "agent", message: "noted" });
  expect(result).toEqual({ ok: true });
});

test("JSON lines are frames or output, JSON is the result, text is output as it comes", async () => {
  expect(await run("/ndjson")).toMatchObject({ outputs: [1, { a: 2 }], result: [3] });
  expect((await run("/json")).result).toEqual({ answer: 42 });
  const { outputs, result } = await run("/text");
  expect([outputs.join(""), result]).toEqual(["hallo ✓", null]);
});

test("another Runfleet and a server of OpenAI's protocol are understood", async () => {
  expect(await run("/runfleet")).toMatchObject({ outputs: ["from afar"], result: { ok: 1 }, error: undefined });
  const { outputs, frames } = await run("/openai");
  expect(outputs).toEqual(["Hel", "lo"]);
  expect(frames).toContainEqual({ type: "usage", input_tokens: 5, output_tokens: 2 });
});

test("the agent gets the request with a signature that it can verify", async () => {
  const { headers, body } = (await run("/echo")).result as { headers: Record<string, string>; body: string };
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    run_id: "run_1",
    attempt: 1,
    input_payload: { q: 1 },
    env: { API_KEY: "k" },
    files: { "prompt.txt": "be kind" },
  });
  expect(headers).toMatchObject({ "webhook-id": "run_1.1", "x-run-id": "run_1" });
});

test.each([
  ["/refuses", "Http500", "no such luck"],
  ["/redirects", "Http302", "answered 302"],
  ["/not-json", "InvalidAnswer", "no JSON"],
  ["/breaks", "ConnectionFault", "connection"],
  ["/error-frame", "Error", "overloaded"],
  ["/error-event", "Error", "overloaded"],
  ["/error-openai", "server_error", "overloaded"],
  ["/error-runfleet", "E", "overloaded"],
  ["/cut-json", "InvalidAnswer", "middle of an event"],
  ["/cut-text", "InvalidAnswer", "middle of an event"],
  ["/cut-lines", "InvalidAnswer", "middle of an event"],
  ["/bad-frame", "InvalidAnswer", "'tool.start' that can't be used: `call_id` is missing"],
])("%s is an error that says what came", async (path, error_type, message) => {
  expect((await run(path)).error).toMatchObject({
    code: "agent_error",
    error_type,
    message: expect.stringContaining(message),
  });
});

test("a private address is refused, and so is a config without a url", async () => {
  const strict = createHttpAdapter({ allowCidrs: [], secretsOf: async () => [], now: async () => new Date() });
  expect((await runAgent(strict, at("/json"))).error).toMatchObject({ message: expect.stringContaining("blocked") });
  expect((await runAgent(strict, agentRequest("chatty"))).error).toMatchObject({ code: "no_entrypoint" });
  await strict.close();
});

test("an abort closes the connection to the agent", async () => {
  const { outputs, exit } = await runAgent(adapter, at("/hangs"), (frame) => frame.type === "output");
  expect([outputs, exit.code]).toEqual([["up"], 0]);
  await closed.get("/hangs");
});

test("a 202 leaves the run open until it is ended from outside", async () => {
  const controller = new AbortController();
  const frames: string[] = [];
  const playing = (async () => {
    for await (const frame of adapter.run(at("/later"), controller.signal)) frames.push(frame.type);
  })();
  await expect.poll(() => frames).toEqual(["started"]);
  expect(frames).toEqual(["started"]);
  controller.abort();
  await playing;
  expect(frames).toEqual(["started", "exit"]);
});
