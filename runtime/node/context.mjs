// What an agent gets to work with: its context, its files, and the module `runfleet`.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { channel, say, toJson } from "./channel.mjs";

export class Interrupted extends Error {
  constructor(question) {
    super("The agent asks a person.");
    this.question = question;
  }
}

/**
 * `directory`: where the run's files lie. A process of one run is ended by a cancel, so its `signal` says nothing.
 * `onAsk` is told of a question to a person before the call throws.
 */
export function createContext(
  request,
  { directory = ".", signal = new AbortController().signal, onAsk = () => {}, ...more } = {},
) {
  let asked = 0;
  const { input_payload: input, state_snapshot, code: _code, files, ...rest } = request;
  const state = state_snapshot || channel.lastState;
  return {
    ...rest,
    ...more,
    signal,
    input,
    state,
    state_snapshot: state,
    files: Object.fromEntries(Object.keys(files).map((name) => [name, resolve(directory, name)])),
    emit: (name, value = null) => say("custom", { name: String(name), value }),
    progress(value = null, message = null) {
      if (typeof value === "string") return say("progress", { value: null, message: value });
      return say("progress", { value: value === null ? null : Math.min(Math.max(Number(value), 0), 1), message });
    },
    log: (message, level = "info") => say("log", { level: String(level), stream: "agent", message: String(message) }),
    saveState(value) {
      this.state = this.state_snapshot = channel.lastState = typeof value === "string" ? value : toJson(value);
      say("state", { state_snapshot: this.state });
    },
    usage: (counts) => say("usage", counts),
    async tool(name, args, call) {
      const call_id = randomBytes(8).toString("hex");
      const at = performance.now();
      say("tool.start", { call_id, name: String(name), args: args ?? null });
      const end = (result, error) =>
        say("tool.end", { call_id, result: result ?? null, error, duration_ms: Math.round(performance.now() - at) });
      try {
        const result = await call();
        end(result, null);
        return result;
      } catch (error) {
        end(null, `${error?.name ?? "Error"}: ${error?.message ?? error}`);
        throw error;
      }
    },
    artifact(name, content = readFileSync(name), mime = null) {
      say("artifact", { name: basename(String(name)), mime, content: Buffer.from(content).toString("base64") });
    },
    /** Ends the run; it starts anew with the answer, which this call then returns. */
    interrupt(message = null, { reason = "input_required", response_schema = null, expires_in_ms = null } = {}) {
      asked += 1;
      if (asked <= request.answers.length) return request.answers[asked - 1];
      const text = message === null || typeof message === "string" ? message : toJson(message);
      const question = { reason, message: text, response_schema, expires_in_ms };
      onAsk(question);
      throw new Interrupted(question);
    },
  };
}

export function writeFiles(files, directory = ".") {
  for (const [name, content] of Object.entries(files)) {
    if (name.split("/").some((part) => ["", ".", ".."].includes(part)) || name.includes("\0"))
      throw new Error(`'${name}' is no relative path inside the run's directory`);
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, decodeContent(content));
  }
}

function decodeContent(content) {
  const [, head, body] = /^data:([^,\s]*),(.*)$/s.exec(content) ?? [];
  if (head === undefined) return content;
  return head.endsWith(";base64") ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
}

/** `import { context, emit } from "runfleet"`, with nothing installed. */
export function offerHelper(context) {
  globalThis[Symbol.for("runfleet")] = context;
  const names = ["emit", "progress", "log", "saveState", "usage", "tool", "artifact", "interrupt", "messages"];
  const one = 'globalThis[Symbol.for("runfleet")]';
  const home = join("node_modules", "runfleet");
  mkdirSync(home, { recursive: true });
  const exports_ = { import: "./index.mjs", require: "./index.cjs" };
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "runfleet", exports: exports_ }));
  const body = names.map((name) => `const ${name} = (...args) => context.${name}(...args);\n`).join("");
  const all = `{ ${["context", ...names].join(", ")} }`;
  writeFileSync(join(home, "index.mjs"), `const context = ${one};\n${body}export ${all};\n`);
  writeFileSync(join(home, "index.cjs"), `const context = ${one};\n${body}module.exports = ${all};\n`);
}
