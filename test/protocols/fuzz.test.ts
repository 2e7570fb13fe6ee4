import fc from "fast-check";
import { expect, test } from "vitest";
import { protocols } from "../../api/protocols/protocols.ts";
import { readEnv } from "../../shared/platform/config/env.ts";
import { call, execute, makeAgent } from "../harness/client.ts";
import { py } from "../harness/py.ts";
import { useTestStack } from "../harness/test-stack.ts";
import { type Sent, faultOfAnswer } from "./fault-of-answer.ts";
import { type KnownIds, type NamedTool, oldest, Requests, type Target, type Try } from "./fuzz-requests.ts";

const seed = Number(readEnv()["FUZZ_SEED"] ?? 20_261_122);
const requests = Number(readEnv()["FUZZ_REQUESTS"] ?? 1_500);
const clients = 8;
/** Every run here ends, or asks, within a second, so that no answer has a reason to take longer. */
const patienceMs = 20_000;
/** A stream may wait for a person. */
const streamMs = 500;

const known: KnownIds = new Map([["thread", ["thread-1"]]]);
const stack = await useTestStack();
const { url, api } = await stack.startMembers({ api: { SHUTDOWN_GRACE_MS: "0" } });

const sources = [
  py`
    def main(input):
        return "done"
  `,
  py`
    def main(input, context):
        yield "One moment. "
        yield str(context.interrupt("Your name?", response_schema={"type": "string"}))
  `,
  py`
    def main(input, context):
        with context.tool("search", {"q": "sky"}) as call:
            call.result = {"sky": "blue"}
        context.save_state({"n": 1})
        for n in range(5):
            yield f"{n} "
  `,
];

function learn(text: string): void {
  for (const [id, prefix = ""] of text.matchAll(/\b([a-z]+)_[0-9a-f]{32}\b/g)) {
    const ids = known.get(prefix) ?? [];
    if (!ids.includes(id)) ids.push(id);
    if (ids.length > 200) ids.splice(oldest, 1);
    known.set(prefix, ids);
  }
}

async function listTools(path: string): Promise<NamedTool[]> {
  const headers = { accept: "application/json, text/event-stream" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {} };
  const begun = await call(
    url,
    "POST",
    path,
    { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize },
    headers,
  );
  const session = { ...headers, "mcp-session-id": begun.headers.get("mcp-session-id") ?? "" };
  const listed = await call(url, "POST", path, { jsonrpc: "2.0", id: 2, method: "tools/list" }, session);
  const { tools } = listed.body["result"] as { tools: NamedTool[] };
  // The agents stay, so that there is something to call.
  return tools.filter(({ name }) => name !== "delete_agent");
}

async function makeTargets(): Promise<Target[]> {
  for (const source of sources) {
    const agent_id = await makeAgent(url, source, { timeout_ms: 10_000 });
    learn(agent_id);
    for (const thread_id of ["thread-1", null])
      learn(await (await execute(url, { agent_id, version: "current", thread_id })).text());
  }
  learn(JSON.stringify((await call(url, "GET", "/v1/threads")).body));
  const drawn = new Requests(known);
  const tools = new Map([
    ["/mcp", await listTools("/mcp")],
    ["/mcp/manage", await listTools("/mcp/manage")],
  ]);
  return protocols.flatMap(({ operations }) =>
    operations.flatMap((operation) => drawn.targetsOf(operation, tools.get(operation.path) ?? [])),
  );
}

/** Reads a stream to its end, or its first bytes and for so long. Then lets go of it. */
async function readStream({ body }: Response, ms: number): Promise<void> {
  const reader = body?.getReader();
  await reader?.read();
  const timer = setTimeout(() => void reader?.cancel(), ms);
  try {
    while (reader && !(await reader.read()).done);
  } finally {
    clearTimeout(timer);
    await reader?.cancel();
  }
}

/** Sends one request. */
async function send(method: string, { path, headers, body }: Try, letsGo: boolean): Promise<Sent> {
  const signal = AbortSignal.timeout(patienceMs);
  const init = {
    method,
    headers: { "content-type": "application/json", ...headers },
    signal,
  };
  try {
    const response = await fetch(url + path, body === null ? init : { ...init, body });
    const { status } = response;
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("text/event-stream")) {
      await readStream(response, letsGo ? 0 : streamMs);
      return { status, type, text: null };
    }
    const text = await response.text();
    learn(text);
    return { status, type, text };
  } catch (error) {
    return {
      status: 0,
      type: signal.aborted ? "no end" : `${String(error)} ${String((error as Error).cause)}`,
      text: null,
    };
  }
}

test(`${requests} generated requests over all other protocols: no 5xx, every error is the protocol's, every answer ends`, async () => {
  const targets = await makeTargets();
  const faults: string[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  async function client(): Promise<void> {
    for (let i = next++; i < requests; i = next++) {
      const target = targets[i % targets.length];
      const [one] = target ? fc.sample(target.from, { seed: seed + i * 1_009, numRuns: 1 }) : [];
      if (!target || !one) throw new Error("There is nothing to draw from.");
      const sent = await send(target.operation.method.toUpperCase(), one, Math.floor(i / targets.length) % 2 === 0);
      statuses.set(sent.status, (statuses.get(sent.status) ?? 0) + 1);
      const fault = faultOfAnswer(one, sent);
      if (fault !== null)
        faults.push(
          `${target.name}: ${one.path.slice(0, 300)} ${JSON.stringify(one.headers).slice(0, 300)} ${one.body?.slice(0, 400)} -> ${fault.slice(0, 400)}`,
        );
    }
  }
  await Promise.all(Array.from({ length: clients }, client));
  console.log(`seed ${seed}, ${targets.length} targets, by status:`, Object.fromEntries([...statuses].toSorted()));
  expect(faults.length === 0 ? [] : [`${faults.length} faults`, ...faults.slice(0, 40)]).toEqual([]);
  expect(statuses.get(200)).toBeGreaterThan(requests / 10);
  expect((await call(url, "GET", "/health")).status).toBe(200);
  expect(api.child.exitCode).toBeNull();
}, 600_000);

test.each([
  ["with NUL", "\u0000"],
  ["with half a surrogate pair", "a\ud800"],
  ["of 4,000 characters", "x".repeat(4_000)],
])("a text %s is no server's error, wherever it stands", async (_name, odd) => {
  const agent = await makeAgent(url, sources[0] ?? "");
  const cursor = `${Buffer.from(JSON.stringify([odd, 1, null])).toString("base64url")}.1-1`;
  const mcp = { accept: "application/json, text/event-stream", "mcp-session-id": `mcp_${"0".repeat(32)}-asks` };
  const rpc = (method: string, params: object) => ({ jsonrpc: "2.0", id: 1, method, params });
  const cron = { assistant_id: agent, schedule: "0 0 1 1 *" };
  const made = await call(url, "POST", "/langgraph/runs/crons", cron);
  const said = { threadId: odd.length > 9 ? "long" : `t-${odd.length}`, runId: `r-${odd.length}`, messages: [] };
  const chat = { id: "chat", messages: [{ role: "user", parts: [{ type: "text", text: odd }] }], [odd]: odd };
  const asked: [string, string, object | null, Record<string, string>?][] = [
    ["GET", "/mcp", null, { ...mcp, "last-event-id": cursor }],
    ["POST", "/mcp", rpc("tools/call", { name: agent, arguments: { [odd]: odd } }), mcp],
    ["POST", "/langgraph/threads", { metadata: { graph_id: odd } }],
    ["POST", "/langgraph/threads/search", { metadata: { [odd]: odd, graph_id: odd } }],
    ["POST", "/langgraph/threads/count", { metadata: { a: odd } }],
    ["POST", "/langgraph/assistants/search", { metadata: { [odd]: odd } }],
    ["POST", "/langgraph/assistants/count", { metadata: { a: odd } }],
    ["POST", "/langgraph/runs/wait", { assistant_id: agent, input: { [odd]: odd }, metadata: { a: odd } }],
    ["POST", "/langgraph/runs/crons", { ...cron, metadata: { a: odd }, input: { [odd]: odd } }],
    ...["input", "metadata", "schedule", "timezone", "webhook"].map((field): [string, string, object] => [
      "PATCH",
      `/langgraph/runs/crons/${String(made.body["cron_id"])}`,
      { [field]: odd },
    ]),
    ["POST", "/openai/v1/chat/completions", { model: agent, messages: [{ role: "user", content: odd }], [odd]: odd }],
    ["POST", "/openai/v1/responses", { model: agent, input: [{ role: "user", content: odd }], metadata: { a: odd } }],
    ["POST", `/ag-ui/${agent}`, { ...said, state: odd }],
    ["POST", `/ag-ui/${agent}`, { ...said, runId: `${said.runId}-2`, state: { [odd]: odd }, context: [odd] }],
    ["POST", `/ai-sdk/${agent}`, chat],
    [
      "POST",
      `/a2a/${agent}`,
      rpc("message/send", { message: { messageId: "m", parts: [{ kind: "data", data: { [odd]: odd } }] } }),
    ],
  ];
  const faults: string[] = [];
  for (const [method, path, body, headers = {}] of asked) {
    const one = { path, headers, body: body && JSON.stringify(body) };
    const sent = await send(method, one, true);
    const fault = faultOfAnswer(one, sent);
    if (fault !== null) faults.push(`${method} ${path} ${one.body?.slice(0, 200)} -> ${fault.slice(0, 400)}`);
  }
  expect(faults).toEqual([]);
});
