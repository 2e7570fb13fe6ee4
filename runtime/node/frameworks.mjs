// Makes functions of what agents export: an object of a known framework, a fetch handler, or an object that has `run`. A framework
// is known by its shape, since a bundled agent's packages can't be imported by name.
import { askApproval } from "./ask-approval.mjs";
import { Totals } from "./framework-events.mjs";
import { hasFunctions, readResponse, sendAiStream } from "./read-returned.mjs";
import { runGraph, runRunnable } from "./run-graph.mjs";
import { runOpenAiAgent } from "./run-openai-agent.mjs";

/** @import { AgentFunction, Context } from "./types.d.ts" */

/** @type {[isLike: (found: any) => boolean, make: (found: any) => AgentFunction | null][]} */
const frameworks = [
  // A LangGraph graph before its `compile()`.
  [(found) => hasFunctions(found, "addNode", "addEdge", "compile"), (found) => frameworkOf(found.compile())],
  [
    (found) => hasFunctions(found, "stream", "invoke"),
    (found) => (input, context) =>
      found.channels ? runGraph(found, input, context) : runRunnable(found, input, context),
  ],
  [
    (found) => hasFunctions(found, "asTool") && "handoffs" in found && "instructions" in found,
    (found) => (input, context) => runOpenAiAgent(found, promptOf(input), context),
  ],
  [
    (found) => hasFunctions(found, "stream", "generate"),
    (found) => (input, context) => runChatAgent(found, input, context),
  ],
  [(found) => hasFunctions(found, "fetch") && found !== globalThis, (found) => (input) => fetchOnce(found, input)],
];

/**
 * Returns a function for an object of a known framework; null for any other value.
 * @param {any} found An agent's export, or what an agent returned.
 * @returns {AgentFunction | null}
 */
export function frameworkOf(found) {
  if ((typeof found !== "object" && typeof found !== "function") || found === null) return null;
  const [, make] = frameworks.find(([isLike]) => isLike(found)) ?? [];
  return make ? make(found) : null;
}

/**
 * Returns what of an input is given to a framework that takes a text or a list of messages.
 * @param {any} input
 */
function promptOf(input) {
  if (typeof input !== "object" || input === null) return input;
  const names = ["prompt", "input", "message", "messages", "question", "query", "text", "task"];
  const name = names.find((one) => input[one] !== undefined);
  return name === undefined ? JSON.stringify(input) : input[name];
}

/**
 * Returns a chat message with a `content`; a client's message may have `parts`.
 * @param {any} message
 */
const toModelMessage = ({ role, content, parts }) => ({
  role,
  content: content ?? parts?.map((/** @type {any} */ part) => part.text ?? "").join("") ?? "",
});

/**
 * Runs an agent with `stream` and `generate`: one of the AI SDK, which takes an object, or one of Mastra, which takes messages.
 * @param {any} agent
 * @param {unknown} input
 * @param {Context} context
 */
async function runChatAgent(agent, input, context) {
  const prompt = promptOf(input);
  const messages = Array.isArray(prompt) ? prompt.map(toModelMessage) : null;
  const isMastra = hasFunctions(agent, "getInstructions");
  if (isMastra) return agent.stream(messages ?? prompt, { abortSignal: context.signal });
  return runAiAgent(agent, messages ? { messages } : { prompt }, context);
}

/**
 * Runs an agent of the AI SDK. What its tools need a person's approval for, the run asks.
 * @param {any} agent
 * @param {{ messages: any[] } | { prompt: unknown }} given
 * @param {Context} context
 */
async function runAiAgent(agent, given, context) {
  const totals = new Totals();
  for (let next = given; ;) {
    const result = await agent.stream({ ...next, abortSignal: context.signal });
    if (!result?.fullStream) return result;
    const said = await sendAiStream(result, totals);
    const content = /** @type {any[]} */ ((await result.content) ?? []);
    const asked = content.filter(({ type }) => type === "tool-approval-request");
    if (asked.length === 0) return said;
    const verdicts = asked.map(({ approvalId, toolCall }) => ({
      type: "tool-approval-response",
      approvalId,
      ...askApproval(context, { name: toolCall.toolName, args: toolCall.input }),
    }));
    const before = "messages" in next ? next.messages : [{ role: "user", content: next.prompt }];
    next = { messages: [...before, ...(await result.response).messages, { role: "tool", content: verdicts }] };
  }
}

/**
 * Calls a fetch handler once: with the input as the body of a POST. An input with a `path` is the request itself.
 * @param {any} handler
 * @param {any} input
 */
async function fetchOnce(handler, input) {
  const isOwn = typeof input?.path === "string" && input.path.startsWith("/");
  const own = isOwn ? input : {};
  const method = String(own.method ?? "POST").toUpperCase();
  const body = isOwn ? own.body : input;
  const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
  const request = new Request(new URL(own.path ?? "/", "http://agent/"), {
    method,
    headers: { "content-type": "application/json", ...own.headers },
    ...(hasBody && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  /** @type {Promise<unknown>[]} */
  const waiting = [];
  const waitUntil = (/** @type {Promise<unknown>} */ work) => void waiting.push(work);
  const response = await handler.fetch(request, process.env, { waitUntil, passThroughOnException() {} });
  const result = await readResponse(response);
  await Promise.all(waiting);
  return result;
}
