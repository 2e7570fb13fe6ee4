import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { call } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useKeyStack } from "./key-stack.ts";
import { differences, type Exchange, fill, readRecorded, readReply, recordedReply, type Replied } from "./recorded.ts";

const { stack, url, other, key, makeKey } = await useKeyStack();

type Options = {
  token?: string;
  path?: string;
  /** How the client's user answers; without it the client can't ask. */
  elicit?: (params: Record<string, unknown>) => ElicitResult | Promise<ElicitResult>;
  fetch?: typeof fetch;
};

async function connect({ token = key, path = "/mcp", elicit, fetch: custom }: Options = {}) {
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: elicit ? { elicitation: { form: {} } } : {} },
  );
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params));
  const errors: string[] = [];
  client.onerror = (error) => void errors.push(error.message);
  const transport = new StreamableHTTPClientTransport(new URL(url + path), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    ...(custom ? { fetch: custom } : {}),
  });
  await client.connect(transport);
  return { client, transport, errors };
}

type Result = {
  content: { type: string; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  _meta?: Record<string, unknown>;
};
const use = async (
  client: Client,
  args: Record<string, unknown>,
  options: object = {},
  meta: Record<string, unknown> = {},
) => (await client.callTool({ name: "weather", arguments: args, _meta: meta }, undefined, options)) as Result;
const textOf = ({ content }: Result) => content.map(({ text }) => text).join("|");
const runOf = (result: Result) => String(result._meta?.["runfleet/run_id"]);
const statusOf = async (runId: string) =>
  (await call(url, "GET", `/v1/runs/${runId}`, undefined, { authorization: `Bearer ${key}` })).body["status"];
const newestRun = async () =>
  String((await stack.sql.query("SELECT id FROM runs ORDER BY created_at DESC LIMIT 1")).rows[0]?.id);

test("each agent of the caller is a tool, and a call is a run with its text, data and files", async () => {
  const { client, transport, errors } = await connect();
  expect(client.getServerVersion()).toMatchObject({ name: "runfleet" });
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([
    { name: "weather", title: "Weather", description: "Tells the weather", inputSchema: { type: "object" } },
  ]);
  expect(textOf(await use(client, {}))).toBe("It is sunny.");
  const counted = await use(client, { say: "count", n: 2 });
  expect(counted).toMatchObject({
    content: [{ type: "text", text: '{"counted":2}' }],
    structuredContent: { counted: 2 },
  });
  const worked = await use(client, { say: "work" });
  expect(worked.content).toMatchObject([
    { type: "text", text: '{"score":1}' },
    { type: "text", text: "done" },
    { type: "text", text: '{"greeted":true}' },
    {
      type: "resource_link",
      name: "a.txt",
      mimeType: "text/plain",
      uri: expect.stringContaining(`${url}/v1/runs/${runOf(worked)}/`),
    },
  ]);
  expect(await statusOf(runOf(worked))).toBe("success");
  expect(await client.ping()).toEqual({});
  await transport.terminateSession();
  expect(errors).toEqual([]);
});

test("five calls that name a thread are five turns of it", async () => {
  const { client } = await connect();
  const turns: string[] = [];
  for (let i = 0; i < 5; i++)
    turns.push(
      textOf(
        await use(client, { messages: [{ role: "user", content: "turn" }] }, {}, { "runfleet/thread_id": "mcp-turns" }),
      ),
    );
  expect(turns).toEqual([1, 2, 3, 4, 5].map((n) => `turn ${n}`));
});

test("progress and tools are the call's progress, and reset the client's time-out", async () => {
  const { client } = await connect();
  const seen: { progress: number; total?: number | undefined; message?: string | undefined }[] = [];
  const onprogress = (progress: (typeof seen)[number]) => void seen.push(progress);
  await use(client, { say: "count", n: 4, delay: 0.4 }, { onprogress, timeout: 1_200, resetTimeoutOnProgress: true });
  expect(seen).toMatchObject(
    [0.25, 0.5, 0.75, 1].map((progress, i) => ({ progress, total: 1, message: `step ${i + 1}` })),
  );
  seen.length = 0;
  await use(client, { say: "work" }, { onprogress });
  expect(seen.map(({ message }) => message)).toEqual(["search"]);
});

test("a question is asked by elicitation; accepting answers it, refusing is an answer where there is room for one", async () => {
  const asked: unknown[] = [];
  const answers: ElicitResult[] = [
    { action: "accept", content: { response: "Ada" } },
    { action: "decline" },
    { action: "decline" },
    { action: "cancel" },
  ];
  const elicit = (params: unknown) => (asked.push(params), answers[asked.length - 1] as ElicitResult);
  const { client, errors } = await connect({ elicit });
  expect(textOf(await use(client, { say: "ask" }))).toBe("Hello, Ada.");
  expect(asked[0]).toMatchObject({
    mode: "form",
    message: "What is your name?",
    requestedSchema: { type: "object", properties: { response: { type: "string" } }, required: ["response"] },
  });
  expect((await use(client, { say: "approve" })).structuredContent).toEqual({ sure: false });
  const declined = await use(client, { say: "ask" });
  expect(declined).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("cancelled") }] });
  expect(await use(client, { say: "approve" })).toMatchObject({ isError: true });
  expect(await statusOf(runOf(declined))).toBe("cancelled");
  expect(errors).toEqual([]);
});

test("the answer to a question may reach another API than the call", async () => {
  const routed: typeof fetch = (to, init) => {
    const isAnswer = typeof init?.body === "string" && init.body.includes('"action"');
    return fetch(isAnswer ? `${other}/mcp` : to, init);
  };
  const { client } = await connect({
    fetch: routed,
    elicit: () => ({ action: "accept", content: { response: true } }),
  });
  expect((await use(client, { say: "approve" })).structuredContent).toEqual({ sure: true });
});

test("a client that can't ask is told the question, and the run waits", async () => {
  const { client } = await connect();
  const result = await use(client, { say: "ask" });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/What is your name\?[^]*resume_run/) }],
  });
  expect(await statusOf(runOf(result))).toBe("interrupted");
  await call(url, "POST", `/v1/runs/${runOf(result)}/cancel`, undefined, { authorization: `Bearer ${key}` });
});

/** The same answer, whose connection is lost after so many events. */
function cut(response: Response, events: number): Response {
  let count = 0;
  const lossy = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const piece of new TextDecoder().decode(chunk).split(/(?<=\n\n)/)) {
        if (count++ >= events) return controller.error(new TypeError("network error"));
        controller.enqueue(new TextEncoder().encode(piece));
      }
    },
  });
  return new Response(response.body?.pipeThrough(lossy), response);
}

test("a call that is cut after any of its events is resumed at another API: nothing is missing or comes twice", async () => {
  const whole = [0.2, 0.4, 0.6, 0.8, 1];
  // Our retry and the priming event come first.
  const cuts = [2, 3, 4, 5, 6, 7];
  await Promise.all(
    cuts.map(async (after) => {
      const resumed: string[] = [];
      const routed: typeof fetch = async (to, init) => {
        const resumes = new Headers(init?.headers).get("last-event-id");
        if (resumes !== null) resumed.push(resumes);
        const response = await fetch(resumes === null ? to : `${other}/mcp`, init);
        return typeof init?.body === "string" && init.body.includes("tools/call") ? cut(response, after) : response;
      };
      const { client } = await connect({ fetch: routed });
      const seen: number[] = [];
      const result = await use(
        client,
        { say: "count", n: 5, delay: 0.02 },
        { onprogress: ({ progress }: { progress: number }) => void seen.push(progress) },
      );
      expect([after, seen, result.structuredContent]).toEqual([after, whole, { counted: 5 }]);
      expect(resumed.length).toBe(1);
    }),
  );
});

test("a cancelled call cancels its run, also when another API hears of it", async () => {
  for (const base of [url, other]) {
    const routed: typeof fetch = (to, init) =>
      fetch(typeof init?.body === "string" && init.body.includes("notifications/cancelled") ? `${base}/mcp` : to, init);
    const { client } = await connect({ fetch: routed });
    const stop = new AbortController();
    const started = use(client, { say: "slow", delay: 5 }, { signal: stop.signal });
    await expect.poll(async () => statusOf(await newestRun())).toBe("running");
    const runId = await newestRun();
    stop.abort("not needed");
    await expect(started).rejects.toThrow(/not needed/);
    await expect.poll(() => statusOf(runId)).toBe("cancelled");
  }
});

test("unknown tools, failures, bad arguments and full queues are results that say why", async () => {
  const { client } = await connect();
  const failed = await use(client, { say: "fail" });
  expect(failed).toMatchObject({ isError: true, content: [{ type: "text", text: "no credit" }] });
  const unknown = (await client.callTool({ name: "nobody", arguments: {} })) as Result;
  expect(unknown).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("nobody") }] });
  const config = {
    source: "def main(i): return i",
    input_schema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  };
  await call(
    url,
    "POST",
    "/v1/agents",
    { user_id: "ada", id: "strict:one", name: "Strict", config },
    { authorization: `Bearer ${key}` },
  );
  const { tools } = await client.listTools();
  expect(tools.at(-1)).toMatchObject({ name: "strict_x3A_one", inputSchema: { required: ["n"] } });
  const bad = (await client.callTool({ name: "strict_x3A_one", arguments: { n: "x" } })) as Result;
  expect(bad).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("input_payload.n") }] });
  expect((await client.callTool({ name: "strict_x3A_one", arguments: { n: 1 } })) as Result).toMatchObject({
    structuredContent: { n: 1 },
  });

  const busy = { agent_id: "weather", version: "current", thread_id: "busy", input_payload: { say: "slow", delay: 5 } };
  const asUser = { authorization: `Bearer ${key}`, prefer: "respond-async" };
  const runs: string[] = [];
  for (let i = 0; i < 4; i++) runs.push(String((await call(url, "POST", "/v1/execute", busy, asUser)).body["id"]));
  const routed: typeof fetch = (to, init) =>
    fetch(`${other}${new URL(to instanceof Request ? to.url : to).pathname}`, init);
  const limited = await connect({ fetch: routed });
  expect(await use(limited.client, {})).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("AGENT_QUEUE_LIMIT") }],
  });
  for (const id of runs.toReversed()) await call(url, "POST", `/v1/runs/${id}/cancel`, undefined, asUser);
});

const raw = (headers: Record<string, string>, body: unknown, path = "/mcp") =>
  fetch(url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2099-01-01", capabilities: {}, clientInfo: { name: "x", version: "1" } },
};

test("what is refused before a call is refused in JSON-RPC's shape", async () => {
  await expect(connect({ token: "rf_none" })).rejects.toThrow(/401|no key|unknown, revoked/);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const started = await raw({}, initialize);
  expect(await started.json()).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } });
  const session = { "mcp-session-id": String(started.headers.get("mcp-session-id")) };
  const cases: [headers: Record<string, string>, body: unknown, status: number, code: number][] = [
    [{}, list, 400, -32000],
    [{ "mcp-session-id": "nope" }, list, 404, -32001],
    [{ accept: "application/json" }, initialize, 406, -32000],
    [{ "content-type": "text/plain" }, initialize, 415, -32000],
    [{ ...session, "mcp-protocol-version": "1999-01-01" }, list, 400, -32000],
    [session, "{", 400, -32700],
    [session, [list], 400, -32600],
    [session, { id: 1 }, 400, -32600],
    [session, { ...list, method: "resources/list" }, 200, -32601],
    [session, { ...list, params: { cursor: "no such agent" } }, 200, -32602],
    [session, { jsonrpc: "2.0", id: "run_none/int_none", result: { action: "accept" } }, 404, -32000],
    [{ ...session, authorization: "" }, list, 401, -32000],
    [{ ...session, authorization: `Bearer ${await makeKey("ada", ["runs:read"])}` }, list, 403, -32000],
  ];
  for (const [headers, body, status, code] of cases) {
    const answer = await raw(headers, body);
    expect([body, answer.status, await answer.json()]).toMatchObject([
      body,
      status,
      { jsonrpc: "2.0", error: { code } },
    ]);
  }
  const stream = await fetch(`${url}/mcp`, { headers: { authorization: `Bearer ${key}`, ...session } });
  expect([stream.status, stream.headers.get("allow")]).toEqual([405, "DELETE, POST"]);
  const stray = await fetch(`${url}/mcp`, {
    headers: { authorization: `Bearer ${key}`, ...session, "last-event-id": "x" },
  });
  expect(stray.status).toBe(400);
});

test("what the server does not offer is refused by the protocol's own code", async () => {
  const { client } = await connect();
  const uri = "file:///a";
  const calls = [
    client.setLoggingLevel("info"),
    client.complete({ ref: { type: "ref/prompt", name: "x" }, argument: { name: "x", value: "" } }),
    client.getPrompt({ name: "x" }),
    client.listPrompts(),
    client.listResources(),
    client.listResourceTemplates(),
    client.readResource({ uri }),
    client.subscribeResource({ uri }),
    client.unsubscribeResource({ uri }),
  ];
  for (const refused of await Promise.allSettled(calls)) expect(refused).toMatchObject({ reason: { code: -32601 } });
  expect(client.getInstructions()).toContain("agent");
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
});

test("nobody reads, cancels or answers another user's call", async () => {
  const { client } = await connect();
  const mine = await use(client, { say: "ask" });
  const bob = `Bearer ${await makeKey("bob", ["*"])}`;
  const started = await raw(
    { authorization: bob },
    { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } },
  );
  const headers = { authorization: bob, "mcp-session-id": String(started.headers.get("mcp-session-id")) };
  const { rows } = await stack.sql.query("SELECT id FROM interrupts WHERE run_id = $1", [runOf(mine)]);
  const answer = {
    jsonrpc: "2.0",
    id: `${runOf(mine)}/${rows[0]?.id}`,
    result: { action: "accept", content: { response: "Eve" } },
  };
  expect((await raw(headers, answer)).status).toBe(404);
  const cursor = `${Buffer.from(JSON.stringify([runOf(mine), 1, null])).toString("base64url")}.0-0`;
  expect((await fetch(`${url}/mcp`, { headers: { ...headers, "last-event-id": cursor } })).status).toBe(404);
  expect(await statusOf(runOf(mine))).toBe("interrupted");
  await call(url, "POST", `/v1/runs/${runOf(mine)}/cancel`, undefined, { authorization: `Bearer ${key}` });
});

test("a coding agent publishes an agent, runs it, reads its log and error, mends it and runs it again", async () => {
  const { client } = await connect({ path: "/mcp/manage" });
  const manage = async (name: string, args: Record<string, unknown>) => {
    const result = (await client.callTool({ name, arguments: args })) as Result;
    if (result.isError) throw new Error(textOf(result));
    return result.structuredContent as Record<string, unknown>;
  };
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name);
  for (const name of [
    "create_agent",
    "create_version",
    "upgrade_agent",
    "execute_agent",
    "get_run",
    "list_run_logs",
    "get_agent_errors",
    "replay_run",
    "list_agents",
  ])
    expect(names).toContain(name);
  expect(names).not.toContain("pause_queue");
  expect(names).not.toContain("stream_run");
  const execute = tools.find(({ name }) => name === "execute_agent");
  expect(execute?.inputSchema).toMatchObject({
    required: ["agent_id", "version"],
    properties: { input_payload: { type: "object" } },
  });

  const { id: user_id } = await manage("get_me", {});
  const source = "def main(input, context):\n    context.log('looked at ' + str(input))\n    return 1 / input['n']\n";
  await manage("create_agent", { user_id, id: "mended", name: "Mended", config: { source } });
  const failed = await manage("execute_agent", { agent_id: "mended", version: "current", input_payload: { n: 0 } });
  expect(failed).toMatchObject({ status: "error", error: { type: "ZeroDivisionError" } });
  const logs = await manage("list_run_logs", { run_id: failed["id"] });
  expect(logs["data"]).toMatchObject([{ message: "looked at {'n': 0}" }]);
  await manage("create_version", {
    agent_id: "mended",
    version: "2.0.0",
    config: { source: source.replace("1 / input['n']", "{'ok': True}") },
  });
  await manage("upgrade_agent", { agent_id: "mended", version: "2.0.0" });
  const again = await manage("execute_agent", { agent_id: "mended", version: "current", input_payload: { n: 0 } });
  expect(again).toMatchObject({ status: "success", result_content: { ok: true } });
  expect((await manage("replay_run", { run_id: failed["id"] }))["replay_of"]).toBe(failed["id"]);
  expect((await manage("get_agent_errors", { agent_id: "mended" }))["data"]).toBeDefined();

  await expect(manage("get_run", { run_id: "run_none" })).rejects.toThrow(/run_none/);
  await expect(manage("execute_agent", { version: "current" })).rejects.toThrow(/agent_id/);
  await expect(manage("no_such_tool", {})).rejects.toThrow(/no_such_tool/);
});

test("a key sees and uses the tools of its scopes only", async () => {
  const { client } = await connect({ path: "/mcp/manage", token: await makeKey("ada", ["runs:read"]) });
  const { tools } = await client.listTools();
  expect(tools.length).toBeGreaterThan(3);
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).not.toContain(false);
  const refused = (await client.callTool({ name: "create_agent", arguments: { user_id: "ada", name: "x" } })) as Result;
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("agents:write") }] });
});

test("without keys, only this machine's own names are answered, in each protocol's shape", async () => {
  const { url: open } = await stack.openApi();
  const { port } = new URL(open);
  const send = (path: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const headers = {
        host: "evil.example",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      };
      const sent = httpRequest({ port, host: "127.0.0.1", path, method: "POST", headers }, (answer) => {
        let body = "";
        answer.on("data", (part) => (body += String(part)));
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
      });
      sent.on("error", reject);
      sent.end(JSON.stringify(initialize));
    });
  for (const path of ["/mcp", "/mcp/manage", "/a2a/weather/"]) {
    const { status, body } = await send(path);
    expect([path, status, JSON.parse(body)]).toMatchObject([
      path,
      421,
      { jsonrpc: "2.0", error: { message: expect.stringContaining("ALLOWED_HOSTS") } },
    ]);
  }
});

/** What needs no stream is answered with JSON here, and by the library's server with a stream of one message. */
const asMessages = ({ status, body, events }: Replied): Replied => ({
  status,
  type: "",
  body: null,
  events: body === null ? events.filter((event) => event !== "") : [body],
});

/** Where our answers differ from the recorded server's, by exchange. docs/protocols.md says why. */
const initialized = ["- .events[].result.capabilities.tools.listChanged", "+ .events[].result.instructions"];
const schema = "- .events[].result.tools[].outputSchema";
const known: Record<string, string[]> = {
  "connect POST": initialized,
  "connect without elicitation POST": initialized,
  "raw: unknown protocol version asked POST": initialized,
  "tools/list POST": [
    "- .events[].result.tools[].inputSchema.$schema",
    "- .events[].result.tools[].execution.taskSupport",
    `${schema}.$schema`,
    `${schema}.type=object`,
    `${schema}.properties.counted.type=number`,
    `${schema}.required[]`,
    `${schema}.additionalProperties`,
  ],
  // The question there has a schema that leaves no room for a refusal, so the run is cancelled.
  "elicitation declined POST": ["+ .events[].result.isError=true"],
};

test("the recorded exchanges are answered as they were, with known differences", async () => {
  const publish = (id: string, source: string, config: object = {}) =>
    call(
      url,
      "POST",
      "/v1/agents",
      { user_id: "cara", id, name: id, config: { source, ...config } },
      { authorization: `Bearer ${cara}` },
    );
  const cara = await makeKey("cara", ["*"]);
  const count = py`
    import time
    def main(input, context):
        for i in range(int(input.get("n", 3))):
            context.progress((i + 1) / input.get("n", 3), f"step {i + 1}")
            time.sleep(input.get("delay", 20) / 1000)
        yield f"counted {input.get('n', 3)}"
        return {"counted": input.get("n", 3)}
  `;
  const number = (value: number) => ({ default: value, type: "number" });
  await publish("count", count, { input_schema: { type: "object", properties: { n: number(3), delay: number(20) } } });
  const asked = {
    type: "object",
    properties: { name: { type: "string", title: "Name" }, ok: { type: "boolean", default: true } },
    required: ["name"],
  };
  await publish(
    "ask",
    py`
    import json
    def main(input, context):
        yield json.dumps(context.interrupt("What is your name?", response_schema=json.loads('${JSON.stringify(asked)}')))
  `,
    { input_schema: { type: "object", properties: {} } },
  );
  await publish("fail", "def main(input): raise ValueError('no credit')", {
    input_schema: { type: "object", properties: {} },
  });

  const post = ({ method, headers, body }: Exchange["request"]) =>
    fetch(`${url}/mcp`, {
      method,
      headers: { ...headers, authorization: `Bearer ${cara}` },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const hasMethod = (name: string, times: number) => (events: unknown[]) =>
    events.filter((event) => JSON.stringify(event).includes(name)).length >= times;
  /** How much of a call has come when its client sends the next message. */
  const pauses: Record<string, (events: unknown[]) => boolean> = {
    elicitation: hasMethod("elicitation/create", 1),
    "elicitation declined": hasMethod("elicitation/create", 1),
    cancellation: hasMethod("notifications/progress", 4),
    timeout: (events) => events.length > 0,
  };
  const elicits = await raw(
    { authorization: `Bearer ${cara}` },
    { ...initialize, params: { ...initialize.params, capabilities: { elicitation: {} } } },
  );
  const names = new Map([["<id-2>", String(elicits.headers.get("mcp-session-id"))]]);
  const found: Record<string, string[]> = {};
  const note = (recorded: Exchange, ours: Replied): void => {
    // A stream without a call is not offered, which the client is told by 405.
    if (recorded.request.method === "GET") return expect([recorded.name, ours.status]).toEqual([recorded.name, 405]);
    const differs = differences(asMessages(recordedReply(recorded)), asMessages(ours));
    if (differs.length > 0) found[`${recorded.name} ${recorded.request.method}`] = differs;
  };
  const all = readRecorded("mcp");
  for (let at = 0; at < all.length; at++) {
    const recorded = all[at] as Exchange;
    const response = await post(fill(recorded.request, names));
    const session = recorded.response.headers["mcp-session-id"];
    if (session && response.headers.has("mcp-session-id"))
      names.set(session, String(response.headers.get("mcp-session-id")));
    const pause = pauses[recorded.name];
    if (!pause) {
      note(recorded, await readReply(response));
      continue;
    }
    // The next exchange is the client's message while the call waits.
    const next = all[++at] as Exchange;
    let sent: Promise<Response> | undefined;
    const ours = await readReply(response, (events) => {
      if (!sent && pause(events)) {
        const question = events.find((event) => JSON.stringify(event).includes("elicitation/create")) as
          | { id?: string }
          | undefined;
        const body = { ...(next.request.body as object), ...(question ? { id: question.id } : {}) };
        sent = post(fill({ ...next.request, body }, names));
      }
      return sent !== undefined && !recorded.name.startsWith("elicitation");
    });
    note(recorded, ours);
    note(next, await readReply((await sent) as Response));
  }
  expect(found).toEqual(known);
});
