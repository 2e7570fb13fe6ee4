import { readFileSync } from "node:fs";
import { HttpAgent, type Message } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { DefaultChatTransport, readUIMessageStream, TextStreamChatTransport, type UIMessage } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, execute, makeAgent, readEvents, resume } from "../harness/client.ts";
import { openTestStack, type TestStack } from "../harness/test-stack.ts";

let stack: TestStack;
let url: string;
let talker: string;
let asker: string;
let mute: string;

const sourceOf = (name: string) => readFileSync(new URL(`../agents/${name}.py`, import.meta.url), "utf8");

beforeAll(async () => {
  stack = await openTestStack();
  ({ url } = await stack.start("api"));
  // Long enough that only what a test does makes a run start again.
  await stack.start("worker", { LEASE_MS: "20000" });
  talker = await makeAgent(url, sourceOf("talker"));
  asker = await makeAgent(url, sourceOf("asker"));
  mute = await makeAgent(url, "def main(input):\n    return 'only a result'\n");
});
afterAll(() => stack?.close());

const body = (agent_id: string, input_payload: object = {}) =>
  JSON.stringify({ agent_id, version: "current", input_payload });

/** A run that was asked something, whose answer made it start again: its id, while it asks for the second time. */
async function askedTwice(): Promise<string> {
  const events = await readEvents(await execute(url, { agent_id: asker, version: "current" }));
  const runId = String(events[0]?.data["run_id"]);
  expect((await call(url, "POST", `/v1/runs/${runId}/resume`, { response: "Ada" })).status).toBe(202);
  const again = await readEvents(await resume(url, runId, events.at(-1)?.id));
  expect(again.at(-1)?.event).toBe("run.interrupted");
  return runId;
}

/** A run that was cancelled while it ran: its id. */
async function cancelled(): Promise<string> {
  const response = await execute(url, { agent_id: talker, version: "current", input_payload: { wait: true } });
  const runId = response.headers.get("x-run-id") ?? "";
  await readEvents(response, ({ data }) => typeof data["content"] === "object");
  expect((await call(url, "POST", `/v1/runs/${runId}/cancel`)).status).toBe(200);
  return runId;
}

const streamOf = (runId: string, format: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/runs/${runId}/stream?format=${format}`, { headers });

// ── text ──

test("format=text is what the agent says, also to the AI SDK's text transport; a failure is a line in brackets", async () => {
  const told = await fetch(`${url}/v1/execute?format=text`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body(talker, { name: "Ada" }),
  });
  expect(told.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await told.text()).toBe('Hello, Ada{"score":1}');
  const transport = new TextStreamChatTransport({
    api: `${url}/v1/execute?format=text`,
    prepareSendMessagesRequest: () => ({ body: JSON.parse(body(talker, { fail: true })) as object }),
  });
  const { texts } = await readChat(await transport.sendMessages(submission));
  expect(texts).toEqual(['Hello, you{"score":1}\n[boom]\n']);
  const silent = await fetch(`${url}/v1/execute?format=text`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: body(mute),
  });
  expect(await silent.text()).toBe("only a result");
});

test("format=text says what is void and what is asked", async () => {
  expect(await (await streamOf(await askedTwice(), "text")).text()).toBe(
    'attempt 1\n[Your name?]\n\n[attempt 2: what stands above is void (resumed)]\nattempt 2\n[{"question":"Sure?"}]\n',
  );
});

// ── openai ──

const openai = () =>
  new OpenAI({
    apiKey: "none",
    baseURL: url,
    maxRetries: 0,
    // Its request is OpenAI's; the answer is ours as it is.
    fetch: (to, init) => {
      if (!String(to).endsWith("/chat/completions")) return fetch(to, init);
      const { model, messages } = JSON.parse(String(init?.body)) as { model: string; messages: { content: string }[] };
      const input = JSON.parse(messages[0]?.content ?? "{}") as object;
      return fetch(`${url}/v1/execute?format=openai`, { ...init, body: body(model, input) });
    },
  });
const complete = (agent: string, input: object) =>
  openai().chat.completions.stream({ model: agent, messages: [{ role: "user", content: JSON.stringify(input) }] });

test("the openai client reads a run as a chat completion, with its usage", async () => {
  const completion = await complete(talker, { name: "Ada" }).finalChatCompletion();
  expect(completion).toMatchObject({
    object: "chat.completion",
    model: talker,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: 'Hello, Ada{"score":1}' } }],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  });
  expect(await complete(mute, {}).finalContent()).toBe("only a result");
});

test("the openai client throws a run's failure and its cancellation", async () => {
  await expect(complete(talker, { fail: true }).finalContent()).rejects.toMatchObject({
    name: "Error",
    code: "agent_error",
    type: "ValueError",
    error: { message: "boom" },
  });
  await expect(readChunks(await cancelled())).rejects.toMatchObject({ code: "cancelled" });
});

test("the openai client reads a run that waits for a person up to its question; tools and files ride along", async () => {
  const { text, finish } = await readChunks(await askedTwice());
  expect(text).toContain("[attempt 2: what stands above is void (resumed)]\nattempt 2");
  expect([text.endsWith('[{"question":"Sure?"}]\n'), finish]).toEqual([true, "stop"]);
  const { events } = await readChunks(await talked());
  expect(events).toEqual(expect.arrayContaining(["progress", "tool.start", "tool.end", "artifact", "custom"]));
});

async function readChunks(runId: string) {
  const read: { text: string; finish: string | null; events: string[] } = { text: "", finish: null, events: [] };
  type Chunk = OpenAI.ChatCompletionChunk & { runfleet?: { type: string } };
  const stream = await openai().get<AsyncIterable<Chunk>>(`/v1/runs/${runId}/stream`, {
    query: { format: "openai" },
    stream: true,
  });
  for await (const { choices, runfleet } of stream) {
    read.text += choices[0]?.delta.content ?? "";
    read.finish = choices[0]?.finish_reason ?? null;
    if (runfleet) read.events.push(runfleet.type);
  }
  return read;
}

/** A run of the talker that has succeeded: its id. */
async function talked(): Promise<string> {
  const events = await readEvents(await execute(url, { agent_id: talker, version: "current" }));
  expect(events.at(-1)?.event).toBe("run.success");
  return String(events[0]?.data["run_id"]);
}

// ── ai-sdk ──

const submission = {
  trigger: "submit-message" as const,
  chatId: "chat",
  messageId: undefined,
  messages: [],
  abortSignal: undefined,
};
const chatTransport = (agent: string, input: object = {}) =>
  new DefaultChatTransport({
    api: `${url}/v1/execute?format=ai-sdk`,
    prepareSendMessagesRequest: () => ({ body: JSON.parse(body(agent, input)) as object }),
    prepareReconnectToStreamRequest: ({ id }) => ({ api: `${url}/v1/runs/${id}/stream?format=ai-sdk` }),
  });

async function readChat(stream: Parameters<typeof readUIMessageStream>[0]["stream"]) {
  let message: UIMessage | undefined;
  const errors: string[] = [];
  const onError = (error: unknown) => errors.push(String(error));
  for await (const state of readUIMessageStream({ stream, onError })) message = state;
  const parts = message?.parts ?? [];
  return { message, errors, parts, texts: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])) };
}

test("the AI SDK reads a run as one message of text, tool and data parts", async () => {
  const { message, parts } = await readChat(await chatTransport(talker, { name: "Ada" }).sendMessages(submission));
  expect(parts).toMatchObject([
    { type: "step-start" },
    { type: "data-progress", data: { value: 0.5, message: "half" } },
    { type: "text", text: "Hello, ", state: "done" },
    { type: "dynamic-tool", toolName: "search", state: "output-available", input: { q: 1 }, output: "found" },
    { type: "data-artifact", data: { name: "a.txt", mime: "text/plain", size: 2 } },
    { type: "data-custom", data: { name: "mood", value: { value: "good" } } },
    { type: "text", text: "Ada", state: "done" },
    { type: "data-output", data: { score: 1 } },
  ]);
  expect(message?.metadata).toMatchObject({ status: "success", result_content: { greeted: true } });
});

test("the AI SDK sees failures as errors, a cancellation as such, and what a restart made void", async () => {
  const failed = await readChat(await chatTransport(talker, { fail: true }).sendMessages(submission));
  expect([failed.errors, failed.message?.metadata]).toEqual([
    ["Error: boom"],
    expect.objectContaining({ status: "error" }),
  ]);
  const stopped = await reconnect(await cancelled());
  expect([stopped.errors, stopped.message?.metadata]).toEqual([[], expect.objectContaining({ status: "cancelled" })]);
  const { parts } = await reconnect(await askedTwice());
  expect(parts.map(({ type }) => type).filter((type) => type !== "data-progress")).toEqual([
    "step-start",
    "text",
    "data-interrupt",
    "data-restart",
    "step-start",
    "text",
    "data-interrupt",
  ]);
});

async function reconnect(chatId: string) {
  const stream = await chatTransport(talker).reconnectToStream({ chatId });
  if (!stream) throw new Error("There is no such stream.");
  return readChat(stream);
}

// ── ag-ui ──

/** AG-UI's client, which checks the order of the events itself; its run is one of ours. */
const agUi = (request: (runId: string) => Promise<Response>) =>
  new HttpAgent({
    url: `${url}/v1/execute?format=ag-ui`,
    fetch: (_url, init) => request((JSON.parse(String(init.body)) as { runId: string }).runId),
  });
const start = (agent_id: string, input_payload: object) => (run_id: string) =>
  fetch(`${url}/v1/execute?format=ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ agent_id, version: "current", run_id, input_payload }),
  });
const contentsOf = (messages: Message[]) => messages.map(({ role, content }) => [role, content]);

test("the AG-UI client reads a run as messages, tool calls, state and a result", async () => {
  const agent = agUi(start(talker, { name: "Ada" }));
  const seen: string[] = [];
  const { result, newMessages } = await agent.runAgent(
    {},
    { onCustomEvent: ({ event }) => void seen.push(event.name) },
  );
  expect(result).toEqual({ greeted: true });
  expect(contentsOf(newMessages)).toEqual([
    ["assistant", "Hello, "],
    ["assistant", undefined],
    ["tool", "found"],
    ["assistant", "Ada"],
  ]);
  expect(agent.state).toEqual({ asked: 1 });
  expect(seen).toEqual(["progress", "artifact", "mood", "usage", "output"]);
});

test("the AG-UI client is told of failure, cancellation, restart and of what a person is asked", async () => {
  const errors: unknown[] = [];
  const onRunErrorEvent = ({ event }: { event: { message: string; code?: string } }) =>
    void errors.push([event.code, event.message]);
  await agUi(start(talker, { fail: true }))
    .runAgent({}, { onRunErrorEvent })
    .catch(() => undefined);
  expect(errors).toEqual([["agent_error", "boom"]]);

  const outcomes: unknown[] = [];
  const onRunFinishedEvent = ({ event }: { event: { outcome?: { type: string } } }) =>
    void outcomes.push(event.outcome?.type);
  const stopped = await cancelled();
  await agUi(() => streamOf(stopped, "ag-ui")).runAgent({}, { onRunFinishedEvent });
  const asked = await askedTwice();
  const agent = agUi(() => streamOf(asked, "ag-ui"));
  const seen: string[] = [];
  await agent.runAgent({}, { onRunFinishedEvent, onCustomEvent: ({ event }) => void seen.push(event.name) });
  expect(outcomes).toEqual(["cancelled", "interrupt", "interrupt"]);
  expect(agent.pendingInterrupts).toMatchObject([{ reason: "approval", message: '{"question":"Sure?"}' }]);
  expect(seen).toContain("run.restarted");
});

// ── langgraph ──

/** LangGraph's client: its requests are LangGraph's; where it goes after a cut is its own. `cutAfter` events, once. */
function langgraph(agent_id: string, input: object = {}, cutAfter = Infinity) {
  const paths: string[] = [];
  const client = new Client({
    apiUrl: url,
    apiKey: null,
    callerOptions: {
      fetch: async (to: string, init: RequestInit) => {
        const { pathname, search } = new URL(to);
        paths.push(`${pathname}${search}`);
        if (pathname.startsWith("/v1/")) return fetch(to, init);
        if (init.method === "GET") return streamOf(pathname.split("/")[2] ?? "", "langgraph");
        const started = fetch(`${url}/v1/execute?format=langgraph`, { ...init, body: body(agent_id, input) });
        return cutAfter === Infinity ? started : cut(await started, cutAfter);
      },
    },
  });
  return { paths, runs: client.runs };
}

/** The same answer, whose connection is lost after so many events. */
function cut(response: Response, events: number): Response {
  let count = 0;
  const lossy = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const pieces = new TextDecoder().decode(chunk).split(/(?<=\n\n)/);
      for (const piece of pieces.slice(0, events - count)) controller.enqueue(new TextEncoder().encode(piece));
      count += pieces.length;
      if (count >= events) controller.error(new TypeError("network error"));
    },
  });
  return new Response(response.body?.pipeThrough(lossy), response);
}

type GraphEvent = { event: string; data: unknown };
async function collect(events: AsyncIterable<unknown>): Promise<GraphEvent[]> {
  const all: GraphEvent[] = [];
  for await (const event of events) all.push(event as GraphEvent);
  return all;
}
const dataOf = (events: GraphEvent[], name: string) =>
  events.filter(({ event }) => event === name).map(({ data }) => data);

test("the LangGraph client reads a run as messages, custom data and values, and resumes a cut stream by itself", async () => {
  const { runs, paths } = langgraph(talker, { name: "Ada" }, 4);
  let runId = "";
  const events = await collect(runs.stream(null, talker, { onRunCreated: ({ run_id }) => void (runId = run_id) }));
  expect(paths).toEqual(["/runs/stream", `/v1/runs/${runId}/stream?format=langgraph`]);
  const texts = dataOf(events, "messages").map((data) => (data as [{ content: string }])[0].content);
  expect(texts).toEqual(["Hello, ", "Ada"]);
  expect(dataOf(events, "custom").map((data) => (data as { type: string }).type)).toEqual([
    "run.started",
    "progress",
    "tool.start",
    "tool.end",
    "artifact",
    "custom",
    "state",
    "usage",
    "output.delta",
  ]);
  expect(dataOf(events, "values")).toMatchObject([
    { greeted: true, messages: [{ type: "ai", content: "Hello, Ada" }] },
  ]);
  expect([events[0]?.event, events.at(-1)?.event]).toEqual(["metadata", "end"]);
  expect(dataOf(events, "metadata")).toMatchObject([
    { run_id: runId, attempt: 0 },
    { run_id: runId, attempt: 1 },
  ]);
});

test("the LangGraph client gets failures and cancellations as errors, questions as __interrupt__", async () => {
  const failed = await collect(langgraph(talker, { fail: true }).runs.stream(null, talker));
  expect(dataOf(failed, "error")).toEqual([{ error: "ValueError", message: "boom" }]);
  const stopped = await collect(langgraph(talker).runs.joinStream(null, await cancelled()));
  expect(dataOf(stopped, "error")).toMatchObject([{ error: "cancelled" }]);
  const asked = await collect(langgraph(asker).runs.joinStream(null, await askedTwice()));
  expect(dataOf(asked, "values")).toMatchObject([
    { __interrupt__: [{ value: { message: "Your name?" } }] },
    { __interrupt__: [{ value: { reason: "approval" } }] },
  ]);
  const ids = dataOf(asked, "messages").map((data) => (data as [{ id: string }])[0].id.slice(-2));
  expect(ids).toEqual(["-1", "-2"]);
});

// ── all ──

test("in every format with ids, what comes after an id is the rest of the whole, and after the last there is 204", async () => {
  const runId = await talked();
  for (const format of ["openai", "ai-sdk", "ag-ui", "langgraph"]) {
    const whole = await (await streamOf(runId, format)).text();
    const ids = [...whole.matchAll(/^id: (.+)$/gm)].map(([, id]) => String(id));
    expect(ids.length).toBeGreaterThan(8);
    for (const id of [ids[0], ids[4], ids[7]]) {
      const rest = await (await streamOf(runId, format, { "last-event-id": String(id) })).text();
      const place = whole.indexOf("\n\n", whole.indexOf(`id: ${id}\n`)) + 2;
      expect(rest).toBe(whole.slice(place));
    }
    expect((await streamOf(runId, format, { "last-event-id": String(ids.at(-1)) })).status).toBe(204);
  }
});

test("another format is a 422 that names the known ones", async () => {
  const { status, body: answer } = await call(url, "GET", "/v1/runs/any/stream?format=xml");
  expect([status, answer["detail"]]).toMatchObject([
    422,
    [
      {
        type: "enum",
        loc: ["query", "format"],
        msg: expect.stringContaining("'text', 'openai', 'ai-sdk', 'ag-ui' or 'langgraph'"),
      },
    ],
  ]);
});
