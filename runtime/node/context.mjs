// What an agent gets to work with: its context, its files, and the module `runfleet`.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { channel, send, toJson } from "./channel.mjs";
import { stepErrors } from "./step-values.mjs";
import { keysOfQuestion, stepMethods } from "./steps.mjs";
import { steering } from "./steering.mjs";
import { waitMethods } from "./waits.mjs";
import { childMethods } from "./children.mjs";

/** @import { Context, Files, Question, RunRequest } from "./types.d.ts" */

/** What `interrupt` throws to end the run with a question to a person. */
export class Interrupted extends Error {
  /** @param {Question} question */
  constructor(question) {
    super("The agent asks a person.");
    this.question = question;
  }
}

/** The context's method that returns how often the code has asked a person. */
export const askedCount = Symbol("askedCount");
/** The context's method that asks as `interrupt` does, for what asks in a fixed order, whatever it says. */
export const askInOrder = Symbol("askInOrder");

// A space before a saved value's JSON tells it from a saved text, which may look like JSON.
const valueMark = " ";

/**
 * Returns what the agent saved: a value, or a text.
 * @param {string | null} text
 */
function stateOf(text) {
  if (!text?.startsWith(valueMark)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const usageNames = ["input_tokens", "output_tokens", "cost_usd"];
/** @type {Record<string, string>} */
const levels = {
  debug: "debug",
  info: "info",
  warn: "warn",
  warning: "warn",
  error: "error",
  fatal: "error",
  critical: "error",
};

/** @param {unknown} name */
function levelOf(name) {
  const level = levels[String(name).toLowerCase()];
  if (level === undefined)
    throw new TypeError(`log() takes the level debug, info, warn or error, not '${String(name)}'.`);
  return level;
}

/** @param {any} thrown What a tool of the agent's threw. */
const nameThrown = (thrown) => `${thrown?.name ?? "Error"}: ${thrown?.message ?? thrown}`;

/**
 * `directory`: where the run's files are. `signal`: aborts when a message is cancelled; a process of one run is killed by a
 * cancel, so its signal never aborts. `onAsk` is called with a question to a person before `interrupt` throws.
 * @param {RunRequest} request
 * @param {{ directory?: string, signal?: AbortSignal, onAsk?: (question: Question) => void, [field: string]: unknown }} [options]
 * @returns {Context}
 */
export function createContext(
  request,
  { directory = ".", signal = new AbortController().signal, onAsk = () => {}, ...more } = {},
) {
  let asked = 0;
  /** The places of the answers that questions have got. @type {Set<number>} */
  const taken = new Set();
  const { input_payload: input, state_snapshot, code: _code, files, ...rest } = request;
  const state = state_snapshot || channel.lastState;
  /** Of each answer, the keys that its question had. */
  const answered = request.answers.map((_, place) => request.journal?.asked?.[place]?.split(" ") ?? []);
  /** @param {(keys: string[]) => boolean} isOwn */
  const findAnswer = (isOwn) => answered.findIndex((keys, place) => !taken.has(place) && isOwn(keys));
  /**
   * `keysOf`: returns the question's keys, the surest first; none: it goes by the order of asking.
   * @param {unknown} message
   * @param {{ reason?: string, response_schema?: unknown, expires_in_ms?: number | null }} options
   * @param {(text: string | null) => string[]} keysOf
   */
  function ask(message, { reason = "input_required", response_schema = null, expires_in_ms = null }, keysOf) {
    asked += 1;
    const text = message === null || typeof message === "string" ? message : toJson(message);
    const own = keysOf(text);
    const found = own.map((key) => findAnswer((keys) => keys.includes(key)));
    const place = [...found, findAnswer((keys) => keys.length === 0)].find((at) => at !== -1);
    if (place !== undefined) {
      taken.add(place);
      return request.answers[place];
    }
    const key = own.join(" ");
    const question = { reason, message: text, response_schema, expires_in_ms, ...(key !== "" && { key }) };
    onAsk(question);
    throw new Interrupted(question);
  }
  return {
    ...rest,
    ...more,
    ...stepMethods,
    ...waitMethods,
    steering,
    ...childMethods,
    [askedCount]: () => asked,
    signal,
    input,
    state: stateOf(state),
    state_snapshot: state,
    files: Object.fromEntries(Object.keys(files).map((name) => [name, resolve(directory, name)])),

    /** @param {unknown} name @param {unknown} value */
    emit: (name, value = null) => send("custom", { name: String(name), value }),

    /** @param {unknown} value From 0 to 1. @param {unknown} message */
    progress(value = null, message = null) {
      if (typeof value === "string") return send("progress", { value: null, message: value });
      if (value !== null && !(Number(value) >= -0.01 && Number(value) <= 1.01))
        throw new RangeError(`progress() takes a value from 0 to 1, such as 0.5 for half, not ${Number(value)}.`);
      return send("progress", { value: value === null ? null : Math.min(Math.max(Number(value), 0), 1), message });
    },

    /** @param {unknown} message @param {unknown} level */
    log: (message, level = "info") => send("log", { level: levelOf(level), stream: "agent", message: String(message) }),

    /** @this {Context} @param {unknown} value */
    saveState(value) {
      const text = typeof value === "string" ? value : valueMark + toJson(value);
      this.state_snapshot = channel.lastState = text;
      this.state = stateOf(text);
      send("state", { state_snapshot: text });
      channel.onReport("state", { state_snapshot: text });
    },

    /** @param {Record<string, unknown>} counts */
    usage(counts) {
      for (const [name, count] of Object.entries(counts)) {
        if (!usageNames.includes(name)) throw new TypeError(`usage() takes ${usageNames.join(", ")}, not '${name}'.`);
        if (typeof count !== "number") throw new TypeError(`usage() takes numbers; ${name} is a ${typeof count}.`);
        if (!Number.isFinite(count)) throw new RangeError(`usage() takes finite numbers; ${name} is ${count}.`);
      }
      send("usage", counts);
      channel.onReport("usage", counts);
    },

    /** @param {unknown} name @param {unknown} args @param {() => unknown} call */
    async tool(name, args, call) {
      const call_id = randomBytes(8).toString("hex");
      const startedAt = performance.now();
      send("tool.start", { call_id, name: String(name), args: args ?? null });
      /** @param {unknown} result @param {string | null} error */
      const end = (result, error) =>
        send("tool.end", {
          call_id,
          result: result ?? null,
          error,
          duration_ms: Math.round(performance.now() - startedAt),
        });
      try {
        const result = await call();
        end(result, null);
        return result;
      } catch (error) {
        end(null, nameThrown(error));
        throw error;
      }
    },

    /** @param {string} name @param {string | Uint8Array} content @param {string | null} mime */
    artifact(name, content = readFileSync(name), mime = null) {
      send("artifact", { name: basename(String(name)), mime, content: Buffer.from(content).toString("base64") });
    },

    /**
     * Asks a person. The run ends here; it starts anew with the answer, which this call then returns.
     * @param {unknown} message
     * @param {{ reason?: string, response_schema?: unknown, expires_in_ms?: number | null }} options
     */
    interrupt: (message = null, options = {}) => ask(message, options, keysOfQuestion),
    /** @param {unknown} message */
    [askInOrder]: (message = null) => ask(message, {}, () => []),
  };
}

/**
 * Writes files below `directory`. Throws for a name that isn't a relative path inside of it.
 * @param {Files} files
 */
export function writeFiles(files, directory = ".") {
  for (const [name, content] of Object.entries(files)) {
    if (name.split("/").some((part) => ["", ".", ".."].includes(part)) || name.includes("\0"))
      throw new Error(`'${name}' is no relative path inside the run's directory`);
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, decodeContent(content));
  }
}

/** @param {string} content Text, or bytes as a `data:` URL. */
function decodeContent(content) {
  const [, head, body = ""] = /^data:([^,\s]*),(.*)$/s.exec(content) ?? [];
  if (head === undefined) return content;
  return head.endsWith(";base64") ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
}

/**
 * Makes `import { context, emit } from "runfleet"` work, with nothing installed: writes the module, which finds the context
 * on `globalThis`.
 * @param {object} context
 */
export function offerHelper(context) {
  Object.assign(globalThis, { [Symbol.for("runfleet")]: context });
  Object.assign(globalThis, { [Symbol.for("runfleet.errors")]: stepErrors });
  const calls = ["emit", "progress", "log", "saveState", "usage", "tool", "artifact", "interrupt", "messages"];
  const durable = { ...stepMethods, ...waitMethods, steering, ...childMethods };
  const names = [...calls, ...Object.keys(durable)];
  const errors = Object.keys(stepErrors);
  const lookup = 'const context = globalThis[Symbol.for("runfleet")];\n';
  const folder = join("node_modules", "runfleet");
  mkdirSync(folder, { recursive: true });
  const exports_ = { import: "./index.mjs", require: "./index.cjs" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "runfleet", exports: exports_ }));
  const functions =
    `const { ${errors.join(", ")} } = globalThis[Symbol.for("runfleet.errors")];\n` +
    names.map((name) => `const ${name} = (...args) => context.${name}(...args);\n`).join("");
  const all = `{ ${["context", ...names, ...errors].join(", ")} }`;
  writeFileSync(join(folder, "index.mjs"), `${lookup}${functions}export ${all};\n`);
  writeFileSync(join(folder, "index.cjs"), `${lookup}${functions}module.exports = ${all};\n`);
}
