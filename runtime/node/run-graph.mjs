// Runs LangGraph graphs and LangChain runnables: tokens, tools, usage, questions to a person, and the final state.
import { send, sendOutput } from "./channel.mjs";
import { endTool, startTool, Totals } from "./framework-events.mjs";
import { askedGraph, graphConfig, prepareGraph } from "./graph-checkpoints.mjs";

/** @import { Context } from "./types.d.ts" */

/**
 * Returns a message's text. Content may be a list of blocks, of which those of type `text` are said.
 * @param {any} content
 */
function textOf(content) {
  if (!Array.isArray(content)) return content;
  return content
    .filter((block) => typeof block === "string" || block?.type === "text")
    .map((block) => block.text ?? block)
    .join("");
}

/** @param {any} message */
const kindOf = (message) => message?.getType?.() ?? message?._getType?.() ?? message?.type;

/** Sends what a graph's stream says. */
class GraphTeller {
  totals = new Totals();
  /** @type {Set<unknown>} */
  #counted = new Set();
  /** @type {Set<unknown>} */
  #told = new Set();
  /** @type {any} The newest state. */
  last = null;
  /** @type {any[]} What the graph asked in the end. */
  questions = [];

  /** @param {string} mode @param {any} part */
  tell(mode, part) {
    if (mode === "messages") this.tellMessage(part[0]);
    else if (mode === "custom") send("custom", { name: "custom", value: part });
    else if (part?.__interrupt__) this.questions = [...part.__interrupt__];
    else if (mode === "values") this.last = part;
    else {
      this.tellTools(part);
      send("custom", { name: "update", value: part });
    }
  }

  /** @param {any} message A part of a message, or a whole one. */
  tellMessage(message) {
    if ((kindOf(message) ?? "ai") !== "ai") return; // A tool's answer, or what somebody else said.
    const isPart = typeof message?.concat === "function";
    if (message?.usage_metadata && (isPart || !this.#counted.has(message.id))) {
      this.#counted.add(message.id);
      this.totals.add(message.usage_metadata);
    }
    const text = textOf(message?.content);
    if (text) sendOutput(text);
  }

  /** @param {any} update `{node: {messages: [message]}}`, or what a node of another state returns. */
  tellTools(update, depth = 3) {
    if (update?.tool_calls || update?.tool_call_id) this.#tellTool(update);
    else if (depth > 0 && typeof update === "object" && update !== null)
      for (const value of Object.values(update)) this.tellTools(value, depth - 1);
  }

  /** @param {any} message */
  #tellTool({ tool_calls: calls, tool_call_id: id, content, status }) {
    for (const call of calls ?? []) {
      if (this.#told.has(call.id)) continue;
      this.#told.add(call.id);
      startTool(call.id, call.name, call.args);
    }
    if (id === undefined || this.#told.has(`end ${id}`)) return;
    this.#told.add(`end ${id}`);
    endTool(id, status === "error" ? null : content, status === "error" ? content : null);
  }
}

/**
 * Runs a LangGraph graph. What it asks by `interrupt()` the run asks; the graph goes on with the answer.
 * @param {any} graph
 * @param {unknown} input
 * @param {Context} context
 */
export async function runGraph(graph, input, context) {
  prepareGraph(graph, context);
  const teller = new GraphTeller();
  const config = graphConfig(graph, context);
  const streamMode = ["messages", "custom", "updates", "values"];
  let given = await askedGraph.pending(graph, config, context, input);
  for (;;) {
    teller.questions = [];
    const stream = await graph.stream(given, { ...config, streamMode, signal: context.signal });
    for await (const [mode, part] of stream) teller.tell(mode, part);
    if (teller.questions.length === 0) return teller.last;
    given = askedGraph.answer(teller.questions, context);
  }
}

/**
 * Runs a LangChain runnable, or an object of its shape.
 * @param {any} runnable
 * @param {unknown} input
 * @param {Context} context
 */
export async function runRunnable(runnable, input, { signal }) {
  const teller = new GraphTeller();
  /** @type {any} */
  let whole = null;
  for await (const part of await runnable.stream(input, { signal })) {
    if (part?.content !== undefined) teller.tellMessage(part);
    else sendOutput(part);
    const isMessage = typeof part?.concat === "function" && typeof part.getType === "function";
    if (isMessage) whole = whole === null ? part : whole.concat(part);
    else whole = typeof part === "string" && typeof whole === "string" ? whole + part : (part?.content ?? part);
  }
  return whole;
}
