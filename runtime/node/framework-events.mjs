// What frameworks tell of a run beside their output: tools and tokens.
import { channel, send } from "./channel.mjs";

/**
 * Returns the first number that a usage has under one of several names; 0 for none.
 * @param {any} usage
 * @param {string[]} names
 * @returns {number}
 */
const firstOf = (usage, names) => names.map((name) => usage?.[name]).find((count) => Number.isFinite(count)) ?? 0;

/** Counts tokens, and sends the totals so far. */
export class Totals {
  input_tokens = 0;
  output_tokens = 0;

  /** @param {any} usage Of one of several frameworks. */
  add(usage) {
    const input = firstOf(usage, ["inputTokens", "input_tokens", "promptTokens"]);
    const output = firstOf(usage, ["outputTokens", "output_tokens", "completionTokens"]);
    if (input + output === 0) return;
    this.input_tokens += input;
    this.output_tokens += output;
    const counts = { input_tokens: this.input_tokens, output_tokens: this.output_tokens };
    send("usage", counts);
    channel.onReport("usage", counts);
  }
}

/** @param {any} id @param {any} name @param {any} args */
export const startTool = (id, name, args) =>
  send("tool.start", {
    call_id: String(id),
    name: String(name),
    args: typeof args === "string" ? parseArgs(args) : (args ?? null),
  });

/** Returns a tool's arguments, which several frameworks have as JSON. @param {string} text */
function parseArgs(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** @param {any} id @param {any} result @param {any} [error] */
export const endTool = (id, result, error = null) =>
  send("tool.end", {
    call_id: String(id),
    result: result ?? null,
    error: error === null ? null : String(error?.message ?? error),
  });
