import { HttpAgent, type Message } from "@ag-ui/client";
import { Client } from "@langchain/langgraph-sdk";
import { DefaultChatTransport } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readChat, submission } from "../harness/read-chat.ts";
import { openTalkers, type Talkers } from "../harness/talkers.ts";

let host: Talkers;
beforeAll(async () => {
  host = await openTalkers();
});
afterAll(() => host?.close());

// ── ai-sdk ──

const chatTransport = (input_payload: object = {}) =>
  new DefaultChatTransport({
    api: `${host.url}/v1/execute?format=ai-sdk`,
    prepareSendMessagesRequest: () => ({ body: { agent_id: host.talker, version: "current", input_payload } }),
    prepareReconnectToStreamRequest: ({ id }) => ({ api: `${host.url}/v1/runs/${id}/stream?format=ai-sdk` }),
  });

test("the AI SDK reads a run as one message of text, tool and data parts", async () => {
  const { message, parts } = await readChat(await chatTransport({ name: "Ada" }).sendMessages(submission));
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
  const failed = await readChat(await chatTransport({ fail: true }).sendMessages(submission));
  expect([failed.errors, failed.message?.metadata]).toEqual([
    ["Error: boom"],
    expect.objectContaining({ status: "error" }),
  ]);
  const stopped = await reconnect(await host.cancelled());
  expect([stopped.errors, stopped.message?.metadata]).toEqual([[], expect.objectContaining({ status: "cancelled" })]);
  const { parts } = await reconnect(await host.askedTwice());
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
  const stream = await chatTransport().reconnectToStream({ chatId });
  if (!stream) throw new Error("There is no such stream.");
  return readChat(stream);
}

// ── ag-ui ──

/** AG-UI's client, which checks the order of the events itself; its run is one of ours. */
const agUi = (request: (runId: string) => Promise<Response>) =>
  new HttpAgent({
    url: `${host.url}/v1/execute?format=ag-ui`,
    fetch: (_url, init) => request((JSON.parse(init.body as string) as { runId: string }).runId),
  });
const talk = (input: object) => (runId: string) => host.start("ag-ui", host.talker, input, runId);
const contentsOf = (messages: Message[]) => messages.map(({ role, content }) => [role, content]);

test("the AG-UI client reads a run as messages, tool calls, state and a result", async () => {
  const agent = agUi(talk({ name: "Ada" }));
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
  await agUi(talk({ fail: true }))
    .runAgent({}, { onRunErrorEvent })
    .catch(() => undefined);
  expect(errors).toEqual([["agent_error", "boom"]]);

  const outcomes: unknown[] = [];
  const onRunFinishedEvent = ({ event }: { event: { outcome?: { type: string } } }) =>
    void outcomes.push(event.outcome?.type);
  const stopped = await host.cancelled();
  await agUi(() => host.streamOf("ag-ui", stopped)).runAgent({}, { onRunFinishedEvent });
  const asked = await host.askedTwice();
  const agent = agUi(() => host.streamOf("ag-ui", asked));
  const seen: string[] = [];
  await agent.runAgent({}, { onRunFinishedEvent, onCustomEvent: ({ event }) => void seen.push(event.name) });
  expect(outcomes).toEqual(["cancelled", "interrupt", "interrupt"]);
  expect(agent.pendingInterrupts).toMatchObject([{ reason: "approval", message: '{"question":"Sure?"}' }]);
  expect(seen).toContain("run.restarted");
});

// ── langgraph ──

/** LangGraph's client: its requests are LangGraph's; where it goes after a cut is its own. `cutAfter` events, once. */
function langgraph(input: object = {}, cutAfter = Infinity) {
  const paths: string[] = [];
  const client = new Client({
    apiUrl: host.url,
    apiKey: null,
    callerOptions: {
      fetch: async (to: string, init: RequestInit) => {
        const { pathname, search } = new URL(to);
        paths.push(`${pathname}${search}`);
        if (pathname.startsWith("/v1/")) return fetch(to, init);
        if (init.method === "GET") return host.streamOf("langgraph", pathname.split("/")[2] ?? "");
        const started = host.start("langgraph", host.talker, input);
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
  const { runs, paths } = langgraph({ name: "Ada" }, 4);
  let runId = "";
  const events = await collect(runs.stream(null, host.talker, { onRunCreated: ({ run_id }) => void (runId = run_id) }));
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
  const failed = await collect(langgraph({ fail: true }).runs.stream(null, host.talker));
  expect(dataOf(failed, "error")).toEqual([{ error: "ValueError", message: "boom" }]);
  const stopped = await collect(langgraph().runs.joinStream(null, await host.cancelled()));
  expect(dataOf(stopped, "error")).toMatchObject([{ error: "cancelled" }]);
  const asked = await collect(langgraph().runs.joinStream(null, await host.askedTwice()));
  expect(dataOf(asked, "values")).toMatchObject([
    { __interrupt__: [{ value: { message: "Your name?" } }] },
    { __interrupt__: [{ value: { reason: "approval" } }] },
  ]);
  const ids = dataOf(asked, "messages").map((data) => (data as [{ id: string }])[0].id.slice(-2));
  expect(ids).toEqual(["-1", "-2"]);
});
