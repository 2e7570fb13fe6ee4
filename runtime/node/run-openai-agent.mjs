// Runs agents of the OpenAI Agents SDK, and reads what its `run` returns.
import { askApproval } from "./ask-approval.mjs";
import { send, sendOutput } from "./channel.mjs";
import { endTool, startTool, Totals } from "./framework-events.mjs";

/** @import { Context } from "./types.d.ts" */

/**
 * Runs an agent of the OpenAI Agents SDK, through the tool that the agent makes of itself: the SDK's `run` can't be imported from
 * here. What the agent's tools need a person's approval for, the run asks.
 * @param {any} agent
 * @param {unknown} prompt
 * @param {Context} context
 */
export async function runOpenAiAgent(agent, prompt, context) {
  /** @type {any} */
  let result = null;
  /** @type {Error[]} What the SDK tells a tool's caller no more. */
  const errors = [];
  const { model } = agent;
  if (typeof model === "object")
    agent.model = watchModel(model, (error) => void errors.push(/** @type {Error} */ (error)));
  const tool = agent.asTool({
    toolName: "agent",
    toolDescription: "Runs the agent.",
    resumeState: { contextStrategy: "preferSerialized" },
    inputBuilder: () => prompt,
    onStream: (/** @type {any} */ { event }) => tellOpenAiEvent(event),
    customOutputExtractor: (/** @type {any} */ ended) => {
      result = ended;
      return "";
    },
  });
  const input = JSON.stringify({ input: typeof prompt === "string" ? prompt : JSON.stringify(prompt) });
  const { signal } = context;
  try {
    for (let resumeState; ;) {
      result = null;
      const said = await tool.invoke(undefined, input, { signal, resumeState });
      if (result === null) throw causeOf(errors, signal, said);
      const { interruptions, state } = result;
      if (!interruptions?.length) return openAiResult(result);
      countOpenAiTokens(result);
      for (const asked of interruptions) decide(state, asked, context);
      resumeState = state.toString();
    }
  } finally {
    agent.model = model; // The process may run the agent again.
  }
}

/** @param {Error[]} errors @param {any} signal @param {unknown} said */
const causeOf = ([cause], signal, said) =>
  (signal?.aborted && signal.reason) ||
  (cause ?? new Error(`${String(said)} Call run() in a main of your own to see the cause.`));

/** @param {any} state @param {any} asked @param {Context} context */
function decide(state, asked, context) {
  const { approved, reason } = askApproval(context, { name: asked.name, args: asked.arguments });
  if (approved) state.approve(asked);
  else state.reject(asked, reason === undefined ? {} : { message: reason });
}

/**
 * Returns a model whose errors are noted.
 * @param {any} model
 * @param {(error: unknown) => void} note
 */
const watchModel = (model, note) =>
  new Proxy(model, {
    get(_model, name) {
      const value = model[name];
      if (name === "getStreamedResponse")
        return async function* (/** @type {unknown[]} */ ...given) {
          try {
            yield* value.apply(model, given);
          } catch (error) {
            note(error);
            throw error;
          }
        };
      return typeof value === "function" ? value.bind(model) : value;
    },
  });

/** @param {any} event */
export function tellOpenAiEvent(event) {
  if (event?.type === "raw_model_stream_event" && event.data?.type === "output_text_delta")
    sendOutput(event.data.delta);
  if (event?.type === "run_item_stream_event") tellItem(event);
}

/** @param {any} event */
function tellItem({ name, item }) {
  const raw = item?.rawItem ?? {};
  const id = raw.callId ?? raw.id;
  if (name === "tool_called") startTool(id, raw.name, raw.arguments);
  else if (name === "tool_output") endTool(id, item.output ?? raw.output);
  else send("custom", { name, value: raw });
}

/** @param {any} result Of `run()`. */
export function openAiResult(result) {
  if (result.interruptions?.length > 0)
    throw new Error(
      "The agent asks for approval of a tool, and its result was returned. Export the agent itself, or ask with context.interrupt().",
    );
  countOpenAiTokens(result);
  return result.finalOutput ?? null;
}

/** @param {any} result */
const countOpenAiTokens = (result) => new Totals().add(result.state?.usage ?? result.rawResponses?.at(-1)?.usage);
