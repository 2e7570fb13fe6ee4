// Steering: what is said to a run while it works reaches its model at the next turn.
import { placeCount } from "./steps.mjs";
import { waitMethods } from "./waits.mjs";

/** Returns a message as chat models take it: one with a role as it is, anything else as a user's words. @param {any} payload */
const asChat = (payload) =>
  payload?.role === undefined
    ? { role: "user", content: typeof payload === "string" ? payload : JSON.stringify(payload) }
    : payload;

/** Gives a framework's model what was said to the run. Its methods are named for the options that take them. */
export function steering() {
  const place = placeCount("steering");
  let looks = 0;
  /** With how many messages the conversation had before. @type {[number, unknown][]} */
  const said = [];

  /** A place of its own for each look: frameworks call from flows of theirs. @returns {Promise<unknown[]>} */
  async function look() {
    looks += 1;
    const payloads = /** @type {unknown[]} */ (await waitMethods.newMessages({ key: `${place}.${looks}` }));
    return payloads.map(asChat);
  }

  /** Returns a conversation with all that was said in it. The framework keeps none of it. @param {unknown[]} items */
  async function steer(items) {
    for (const message of await look()) said.push([items.length, message]);
    const steered = [...items];
    for (const [offset, [position, message]] of said.entries()) steered.splice(position + offset, 0, message);
    return steered;
  }

  return {
    /** For the AI SDK. @param {{ messages: unknown[] }} turn */
    prepareStep: async ({ messages }) => ({ messages: await steer(messages) }),
    /** For the OpenAI Agents SDK. @param {{ modelData: { input: unknown[] } }} turn */
    callModelInputFilter: async ({ modelData }) => ({ ...modelData, input: await steer(modelData.input) }),
    /** For LangGraph's agents, which keep what a hook adds to their messages. */
    preModelHook: async () => ({ messages: await look() }),
  };
}
