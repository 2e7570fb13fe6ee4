import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentRequest } from "../../../worker/adapters/adapter.ts";
import { createNodeAdapter } from "../../../worker/adapters/node/node-adapter.ts";
import { findNode } from "../../../worker/adapters/node/find-node.ts";
import type { Frame } from "../../../worker/channel/frame-schema.ts";
import { createIdleCache } from "../../../worker/warm/idle-cache.ts";
import { openLevels } from "../sandbox/open-levels.ts";
import { bundleAgent } from "./bundle-agent.ts";
import { agentRequest, resources, runAgent } from "./run-agent.ts";

const machine = await openLevels();
let adapter: ReturnType<typeof createNodeAdapter>;

beforeAll(async () => {
  const [sandbox] = machine.levels;
  if (!sandbox) throw new Error("no level at all");
  const node = await findNode({ sandbox, directory: machine.directory, log: console });
  if (!node) throw new Error("the sandbox can't run Node");
  adapter = createNodeAdapter(sandbox, node, createIdleCache(1 << 30));
});
afterAll(async () => {
  adapter.close();
  await machine.close();
});

const wide = { ...resources, memory_bytes: 512 << 20 };
const run = (code: Record<string, string>, changes: Partial<AgentRequest> = {}) => {
  const [entrypoint = null] = Object.keys(code);
  return runAgent(adapter, agentRequest("chatty", { entrypoint, code, resources: wide, ...changes }));
};
const main = (source: string, changes: Partial<AgentRequest> = {}) => run({ "main.mjs": source }, changes);
const of = <T extends Frame["type"]>(frames: Frame[], type: T) =>
  frames.filter((frame): frame is Extract<Frame, { type: T }> => frame.type === type);

test("threads, forked processes and evaluated threads work", async () => {
  const code = {
    "main.mjs": `
      import { fork } from "node:child_process";
      import { Worker } from "node:worker_threads";
      const first = (emitter) => new Promise((done, fail) => emitter.once("message", done).once("error", fail));
      export async function main() {
        const evaluated = "require('node:worker_threads').parentPort.postMessage('evaluated')";
        return [
          await first(new Worker(new URL("./thread.mjs", import.meta.url))),
          await first(new Worker(evaluated, { eval: true })),
          await first(fork("./child.mjs")),
        ];
      }`,
    "thread.mjs": `import { parentPort } from "node:worker_threads"; parentPort.postMessage("thread");`,
    "child.mjs": `process.send("child");`,
  };
  expect((await run(code)).result).toEqual(["thread", "evaluated", "child"]);
});

describe("an agent that can't run says why", () => {
  test.each([
    [
      "a typo in main",
      "export function mian() { return 1; }",
      "no_entrypoint",
      /none of main, run, .* It exports mian\. .*'main.mjs:mian'/,
    ],
    [
      "main that isn't exported",
      "function main() { return 1; }",
      "no_entrypoint",
      /has a function `main`, but doesn't export it/,
    ],
    [
      "an object that nothing runs",
      "class A { go() {} }\nexport const agent = new A();",
      "bad_entrypoint",
      /Nothing is known that runs 'agent' of 'main.mjs', which is an object of A/,
    ],
    [
      "a failing response",
      "export default { fetch: () => new Response('no luck', { status: 503 }) }",
      "agent_error",
      /response is 503: no luck/,
    ],
    [
      "a level that there isn't",
      "export const main = (i, c) => c.log('x', 'bogus')",
      "agent_error",
      /level debug, info, warn or error, not 'bogus'/,
    ],
    [
      "half as 50",
      "export const main = (i, c) => c.progress(50)",
      "agent_error",
      /from 0 to 1, such as 0.5 for half, not 50/,
    ],
    ["usage of tokens", "export const main = (i, c) => c.usage({ tokens: 5 })", "agent_error", /not 'tokens'/],
  ])("%s", async (_name, source, code, message) => {
    const { error, result } = await main(source);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(result).toBeUndefined();
  });
});

test("CommonJS as a TypeScript file's text works, beside modules", async () => {
  const source = `const { basename } = require("node:path");\nmodule.exports = { main: (input) => basename(input.path) };`;
  expect((await run({ "main.ts": source }, { input_payload: { path: "/a/b" } })).result).toBe("b");
});

describe("what is returned speaks", () => {
  test.each([
    ["a text response", "export const main = () => new Response('hello')", ["hello"], null],
    ["a JSON response", "export const main = () => Response.json({ a: 1 })", [], { a: 1 }],
    [
      "a fetch handler",
      "export default { fetch: async (request) => Response.json([request.method, await request.json()]) }",
      [],
      ["POST", { q: 1 }],
    ],
    ["a stream of bytes", "export const main = () => new Response('é'.repeat(3)).body", ["ééé"], null],
    ["an object with run()", "class A { run(input) { return input; } }\nexport const agent = new A();", [], { q: 1 }],
    [
      "functions and values",
      "export const main = () => ({ f() {}, g: class {}, list: [() => 1, 1], n: 1n, e: new Error('x') })",
      [],
      { list: [null, 1], n: 1, e: { name: "Error", message: "x" } },
    ],
  ])("%s", async (_name, source, outputs, result) => {
    const ran = await main(source, { input_payload: { q: 1 } });
    expect(ran.error).toBeUndefined();
    expect([ran.outputs, ran.result]).toEqual([outputs, result]);
  });
});

/** `closed` ends only by the signal. */
const closed = `
  const closed = (signal) => new Promise((_done, fail) => {
    const alive = setInterval(() => undefined, 1_000);
    signal.addEventListener("abort", () => { console.log("closed"); clearInterval(alive); fail(signal.reason); });
  });`;
const langChainSource = `
    import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
    import { ChatGenerationChunk } from "@langchain/core/outputs";
    import { RunnableLambda } from "@langchain/core/runnables";
    import { FakeStreamingChatModel } from "@langchain/core/utils/testing";
    import { tool } from "@langchain/core/tools";
    import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
    import { ToolNode } from "@langchain/langgraph/prebuilt";

    const weather = tool(async ({ city }) => "sunny in " + city, {
      name: "weather", description: "tells the weather",
      schema: { type: "object", properties: { city: { type: "string" } } },
    });
    class Model extends FakeStreamingChatModel {
      async *_streamResponseChunks(messages, options, manager) {
        const say = async function* (chunk) {
          const text = typeof chunk.content === "string" ? chunk.content : "";
          const part = new ChatGenerationChunk({ message: chunk, text });
          yield part;
          await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk: part });
        };
        if (messages.at(-1).getType() === "tool") {
          yield* say(new AIMessageChunk({ id: "two", content: "It is " }));
          yield* say(new AIMessageChunk({ id: "two", content: "sunny", usage_metadata: { input_tokens: 7, output_tokens: 2, total_tokens: 9 } }));
        } else {
          const tool_call_chunks = [{ id: "call_1", name: "weather", args: '{"city":"Rome"}', index: 0, type: "tool_call_chunk" }];
          yield* say(new AIMessageChunk({ id: "one", content: "", tool_call_chunks, usage_metadata: { input_tokens: 5, output_tokens: 4, total_tokens: 9 } }));
        }
      }
    }
    const model = new Model({});
    export const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
      .addNode("tools", new ToolNode([weather]))
      .addEdge(START, "agent")
      .addConditionalEdges("agent", ({ messages }) => (messages.at(-1).tool_calls?.length ? "tools" : END))
      .addEdge("tools", "agent")
      .compile();
    const Asking = Annotation.Root({ said: Annotation({ reducer: (a, b) => [...a, ...b], default: () => [] }) });
    let prepared = 0;
    export const asking = new StateGraph(Asking)
      .addNode("prepare", () => ({ said: ["prepared " + (prepared += 1)] }))
      .addNode("ask", () => ({ said: [interrupt({ question: "ok?" })] }))
      .addNode("more", () => ({ said: [interrupt("sure?")] }))
      .addEdge(START, "prepare").addEdge("prepare", "ask").addEdge("ask", "more").addEdge("more", END);
    class Waiting extends FakeStreamingChatModel {
      async *_streamResponseChunks(messages, { signal }) {
        yield new ChatGenerationChunk({ text: "up", message: new AIMessageChunk("up") });
        await closed(signal);
      }
    }
    export const waiting = RunnableLambda.from(({ prompt }) => prompt).pipe(new Waiting({}));
    export const waitingGraph = new StateGraph(MessagesAnnotation)
      .addNode("wait", async (_state, { signal }) => { console.log("up"); await closed(signal); })
      .addEdge(START, "wait").compile();
    ${closed}`;
const aiSdkSource = `
    import { generateText, simulateReadableStream, stepCountIs, streamText, tool, ToolLoopAgent } from "ai";
    import { MockLanguageModelV3 } from "ai/test";
    import { z } from "zod";
    const usage = (input, output) => ({ inputTokens: { total: input, noCache: input }, outputTokens: { total: output, text: output } });
    const finish = (unified, ...counts) => ({ type: "finish", finishReason: { unified, raw: unified }, usage: usage(...counts) });
    const make = () => {
      let calls = 0;
      return new MockLanguageModelV3({
        doGenerate: async () => ({ content: [{ type: "text", text: "whole" }], finishReason: { unified: "stop" }, usage: usage(3, 1), warnings: [] }),
        doStream: async () => ({
          stream: simulateReadableStream({ chunks: (calls += 1) === 1
            ? [{ type: "tool-call", toolCallId: "c1", toolName: "weather", input: '{"city":"Rome"}' }, finish("tool-calls", 5, 4)]
            : [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta: "It is " }, { type: "text-delta", id: "1", delta: "sunny" }, { type: "text-end", id: "1" }, finish("stop", 7, 2)] }),
        }),
      });
    };
    const tools = { weather: tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => "sunny in " + city }) };
    export const main = ({ prompt }) => streamText({ model: make(), prompt, tools, stopWhen: stepCountIs(3) });
    export const agent = new ToolLoopAgent({ model: make(), tools });
    export const whole = ({ prompt }) => generateText({ model: make(), prompt });
    const mail = tool({ inputSchema: z.object({ to: z.string() }), needsApproval: true, execute: async ({ to }) => "sent to " + to });
    const agentOf = (doStream) => new ToolLoopAgent({ tools: { mail }, model: new MockLanguageModelV3({ doStream }) });
    const say = (delta) => [{ type: "text-start", id: "1" }, { type: "text-delta", id: "1", delta }];
    export const asking = agentOf(async ({ prompt }) => {
      const ends = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content)
        .filter(({ type }) => type === "tool-result").map(({ output }) => output.value ?? output.reason);
      const call = [{ type: "tool-call", toolCallId: "c1", toolName: "mail", input: '{"to":"Ada"}' }, finish("tool-calls", 5, 4)];
      const chunks = ends.length === 0 ? call : [...say(ends.join()), { type: "text-end", id: "1" }, finish("stop", 5, 4)];
      return { stream: simulateReadableStream({ chunks }) };
    });
    export const waiting = agentOf(async ({ abortSignal }) => ({
      stream: new ReadableStream({ async start(controller) {
        for (const part of say("up")) controller.enqueue(part);
        await closed(abortSignal).catch((error) => controller.error(error));
      } }),
    }));${closed}`;
const openAiSource = `
  import { Agent, tool } from "@openai/agents";
  const usage = { requests: 1, inputTokens: 5, outputTokens: 4, totalTokens: 9 };
  const parameters = { type: "object", properties: { to: { type: "string" } }, required: ["to"], additionalProperties: false };
  const mail = tool({ name: "mail", description: "mails", parameters, strict: true, needsApproval: true, execute: async ({ to }) => "sent to " + to });
  const agent = (stream) => new Agent({ name: "a", tools: [mail], model: { getResponse() { throw new Error("streams only"); }, getStreamedResponse: stream } });
  export const asking = agent(async function* ({ input }) {
    const ends = input.filter(({ type }) => type === "function_call_result").map(({ output }) => output.text ?? output);
    const output = ends.length === 0
      ? [{ type: "function_call", callId: "c1", name: "mail", arguments: '{"to":"Ada"}', status: "completed" }]
      : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: ends.join() }] }];
    if (ends.length > 0) yield { type: "output_text_delta", delta: ends.join() };
    yield { type: "response_done", response: { id: "r", usage, output } };
  });
  export const waiting = agent(async function* ({ signal }) {
    yield { type: "output_text_delta", delta: "up" };
    await closed(signal);
  });${closed}`;

const sources = { langChain: langChainSource, aiSdk: aiSdkSource, openAi: openAiSource };
type Bundled = keyof typeof sources;
const bundled = new Map<string, { "main.mjs": string }>();
const codeOf = (name: Bundled) => bundled.get(name) ?? {};
beforeAll(async () => {
  for (const [name, source] of Object.entries(sources)) bundled.set(name, { "main.mjs": await bundleAgent(source) });
});

describe("LangGraph", () => {
  test("a graph's tokens are output, its tools and usage events, its final state the result", async () => {
    const code = codeOf("langChain");
    const { frames, outputs, result, error } = await run(code, {
      input_payload: { messages: [{ role: "user", content: "weather?" }] },
    });
    expect(error).toBeUndefined();
    expect(outputs).toEqual(["It is ", "sunny"]);
    expect(of(frames, "tool.start")).toMatchObject([{ call_id: "call_1", name: "weather", args: { city: "Rome" } }]);
    expect(of(frames, "tool.end")).toMatchObject([{ call_id: "call_1", result: "sunny in Rome", error: null }]);
    expect(of(frames, "usage").at(-1)).toMatchObject({ input_tokens: 12, output_tokens: 6 });
    expect(result).toMatchObject({
      messages: [
        { type: "human", content: "weather?" },
        { type: "ai", tool_calls: [{ name: "weather" }] },
        { type: "tool", content: "sunny in Rome", tool_call_id: "call_1" },
        { type: "ai", content: "It is sunny" },
      ],
    });
  });

  test("a graph's interrupt() is the run's question, and the run goes on with the answer", async () => {
    const code = codeOf("langChain");
    const ask = (answers: unknown[]) =>
      run(code, { entrypoint: "main.mjs:asking", answers, attempt: answers.length + 1 });
    expect(of((await ask([])).frames, "interrupt")).toMatchObject([{ message: '{"question":"ok?"}' }]);
    expect(of((await ask(["yes"])).frames, "interrupt")).toMatchObject([{ message: "sure?" }]);
    expect((await ask(["yes", "very"])).result).toEqual({ said: ["prepared 1", "yes", "very"] });
  });
});

test("the AI SDK: streamText, an agent and generateText speak as text, tools and usage", async () => {
  for (const entrypoint of ["main.mjs:main", "main.mjs:agent"]) {
    const ran = await run(codeOf("aiSdk"), { entrypoint, input_payload: { prompt: "weather?" } });
    expect(ran.error).toBeUndefined();
    expect(ran.outputs).toEqual(["It is ", "sunny"]);
    expect(of(ran.frames, "tool.start")).toMatchObject([{ call_id: "c1", name: "weather", args: { city: "Rome" } }]);
    expect(of(ran.frames, "tool.end")).toMatchObject([{ call_id: "c1", result: "sunny in Rome" }]);
    expect(of(ran.frames, "usage").at(-1)).toMatchObject({ input_tokens: 12, output_tokens: 6 });
  }
  const whole = await run(codeOf("aiSdk"), { entrypoint: "main.mjs:whole", input_payload: { prompt: "x" } });
  expect(whole.result).toEqual({ text: "whole", finish_reason: "stop" });
  expect(of(whole.frames, "usage")).toMatchObject([{ input_tokens: 3, output_tokens: 1 }]);
});

test.each([
  ["OpenAI Agents", "openAi"],
  ["the AI SDK", "aiSdk"],
] as const)("%s: a tool that needs a person's approval is the run's question", async (_name, framework) => {
  const ask = (answers: unknown[]) =>
    run(codeOf(framework), {
      entrypoint: "main.mjs:asking",
      answers,
      attempt: answers.length + 1,
      input_payload: { prompt: "mail Ada" },
    });
  const asked = await ask([]);
  expect(asked.error).toBeUndefined();
  expect(of(asked.frames, "interrupt")).toMatchObject([
    { message: 'May the agent call mail with {"to":"Ada"}?', reason: "approval_required" },
  ]);
  expect(of(asked.frames, "usage").at(-1)).toMatchObject({ input_tokens: 5, output_tokens: 4 });
  const allowed = await ask([{ approved: true }]);
  expect(allowed.error).toBeUndefined();
  expect(allowed.outputs).toEqual(["sent to Ada"]);
  expect(of(allowed.frames, "tool.end")).toMatchObject([{ call_id: "c1", result: "sent to Ada" }]);
  expect(of(allowed.frames, "usage").at(-1)).toMatchObject({ input_tokens: 10, output_tokens: 8 });
  const refused = await ask([{ approved: false, reason: "not Ada" }]);
  expect(refused.outputs).toEqual(["not Ada"]);
});

test.each([
  ["OpenAI Agents", "openAi", "waiting"],
  ["the AI SDK", "aiSdk", "waiting"],
  ["LangChain", "langChain", "waiting"],
  ["LangGraph", "langChain", "waitingGraph"],
] as const)("%s: a cancel ends the call of a model", async (_name, framework, name) => {
  const controller = new AbortController();
  const request = agentRequest("chatty", {
    entrypoint: `main.mjs:${name}`,
    code: codeOf(framework),
    resources: wide,
    stop_grace_ms: 8_000,
    input_payload: { prompt: "wait", messages: [{ role: "user", content: "wait" }] },
  });
  let said = "";
  for await (const frame of adapter.run(request, controller.signal)) {
    if (frame.type === "output") said += String(frame.content);
    if (said.includes("up") && !controller.signal.aborted) controller.abort("cancelled");
  }
  expect(said).toMatch(/^up\s*closed\s*$/);
});
