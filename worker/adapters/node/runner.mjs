// Runs one JavaScript or TypeScript agent: reads one JSON request from stdin, leaves NDJSON frames on fd 3, exits 0 with a
// result and 1 without. It is given to `node -e`, waits for its request, and ends with it.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { register } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";

const eventsFd = 3;
const lineBytes = 12 * 1024 * 1024; // What the worker reads as one frame.
const maxText = 64 * 1024;
const candidates = ["main", "run", "handler", "agent", "default"];
const work = process.cwd();
let over = false;

const conversions = [
  [Uint8Array, (bytes) => ({ $bytes: Buffer.from(bytes).toString("base64") })],
  [Map, (map) => Object.fromEntries(map)],
  [Set, (set) => [...set]],
  [Error, ({ name, message }) => ({ name, message })],
];

function plain(item) {
  if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
  return typeof item === "function" || typeof item === "symbol" ? String(item) : item;
}

/** What JSON has no word for becomes the nearest that it has. */
function toJson(value) {
  const above = [];
  return JSON.stringify(value ?? null, function (_key, item) {
    if (typeof item !== "object" || item === null) return plain(item);
    const known = conversions.find(([kind]) => item instanceof kind);
    if (known) return known[1](item);
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (above.includes(item)) return "<circular>";
    above.push(item);
    return item;
  });
}

function writeLine(line) {
  const bytes = Buffer.from(`${line}\n`);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(eventsFd, bytes, at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // The worker is behind.
    }
  }
}

function send(type, fields) {
  if (over) return true;
  const line = toJson({ type, ...fields });
  if (line.length > lineBytes) return false;
  writeLine(line);
  return true;
}

const say = (type, fields) =>
  send(type, fields) ||
  send("log", { level: "error", stream: "agent", message: `A ${type} of more than ${lineBytes} bytes was left out.` });

/** Text in pieces that are frames of a fair size each. */
function sendText(text, wrap) {
  for (let at = 0; at < text.length; at += 1 << 20) wrap(text.slice(at, at + (1 << 20)));
}
const sendOutput = (text) => sendText(text, (content) => say("output", { content }));
const sendLog = (text) =>
  sendText(text, (message) => say("log", { level: "info", stream: "stderr", message: message.replace(/\n$/, "") }));

/** In the order of the agent's doing: what it prints takes the way of what it yields. */
function takeOverStreams() {
  const replace = (stream, wrap) => {
    stream.write = (chunk, encoding, callback) => {
      wrap(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
      const done = typeof encoding === "function" ? encoding : callback;
      if (done) process.nextTick(done);
      return true;
    };
  };
  replace(process.stdout, sendOutput);
  replace(process.stderr, sendLog);
  for (const name of ["log", "info", "debug"]) console[name] = (...args) => sendOutput(`${format(...args)}\n`);
  for (const name of ["error", "warn", "trace"]) console[name] = (...args) => sendLog(format(...args));
}

class Interrupted extends Error {
  constructor(question) {
    super("The agent asks a person.");
    this.question = question;
  }
}

function createContext(request) {
  let asked = 0;
  const { input_payload: input, state_snapshot: state, code: _code, files, ...rest } = request;
  return {
    ...rest,
    input,
    state,
    state_snapshot: state,
    files: Object.fromEntries(Object.keys(files).map((name) => [name, resolve(name)])),
    emit: (name, value = null) => say("custom", { name: String(name), value }),
    progress(value = null, message = null) {
      if (typeof value === "string") return say("progress", { value: null, message: value });
      return say("progress", { value: value === null ? null : Math.min(Math.max(Number(value), 0), 1), message });
    },
    log: (message, level = "info") => say("log", { level: String(level), stream: "agent", message: String(message) }),
    saveState(value) {
      this.state = this.state_snapshot = typeof value === "string" ? value : toJson(value);
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
      throw new Interrupted({ reason, message: text, response_schema, expires_in_ms });
    },
  };
}

function writeFiles(files) {
  for (const [name, content] of Object.entries(files)) {
    if (name.split("/").some((part) => ["", ".", ".."].includes(part)) || name.includes("\0"))
      throw new Error(`'${name}' is no relative path inside the run's directory`);
    mkdirSync(dirname(name), { recursive: true });
    writeFileSync(name, decodeContent(content));
  }
}

function decodeContent(content) {
  const [, head, body] = /^data:([^,\s]*),(.*)$/s.exec(content) ?? [];
  if (head === undefined) return content;
  return head.endsWith(";base64") ? Buffer.from(body, "base64") : Buffer.from(decodeURIComponent(body));
}

/** `import { context, emit } from "runfleet"`, with nothing installed. */
function offerHelper(context) {
  globalThis[Symbol.for("runfleet")] = context;
  const names = ["emit", "progress", "log", "saveState", "usage", "tool", "artifact", "interrupt"];
  const one = 'globalThis[Symbol.for("runfleet")]';
  const home = join("node_modules", "runfleet");
  mkdirSync(home, { recursive: true });
  const exports_ = { import: "./index.mjs", require: "./index.cjs" };
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "runfleet", exports: exports_ }));
  const functions = names.map((name) => `export const ${name} = context.${name}.bind(context);`).join("\n");
  writeFileSync(join(home, "index.mjs"), `export const context = ${one};\n${functions}\n`);
  writeFileSync(join(home, "index.cjs"), `const context = ${one};\nmodule.exports = { context, ...context };\n`);
}

/** TypeScript is made JavaScript file by file, as it is imported. */
function readTypeScript(stripper) {
  const hooks = `
    import { readFileSync } from "node:fs";
    import { createRequire } from "node:module";
    let strip;
    export async function load(url, context, next) {
      if (!/\\.[mc]?ts$/.test(new URL(url).pathname)) return next(url, context);
      strip ??= createRequire(${JSON.stringify(stripper)})(${JSON.stringify(stripper)}).transformSync;
      const text = readFileSync(new URL(url), "utf8");
      const { code } = strip(text, { mode: "transform", sourceMap: false, filename: url });
      return { format: url.endsWith(".cts") ? "commonjs" : "module", source: code, shortCircuit: true };
    }`;
  register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}

class NoEntrypoint extends Error {
  code = "no_entrypoint";
}
class BadEntrypoint extends Error {
  code = "bad_entrypoint";
}

async function loadEntrypoint({ entrypoint, type_stripper }) {
  if (!entrypoint) throw new NoEntrypoint("The agent has no code: neither its config nor the run's files name any.");
  const [path, name] = entrypoint.split(":");
  if (!/^[^/].*\.[mc]?[jt]s$/.test(path) || path.split("/").includes(".."))
    throw new BadEntrypoint(`'${entrypoint}' is not like file.js, file.ts or file.js:name.`);
  if (!existsSync(path)) throw new BadEntrypoint(`There is no file '${path}' among the agent's code.`);
  if (path.endsWith("ts")) readTypeScript(type_stripper);
  process.argv = [process.argv[0], resolve(path)];
  const module = await import(pathToFileURL(resolve(path)).href);
  const places = [module, module.default ?? {}];
  const find = (wanted) => places.map((place) => place[wanted]).find((found) => found !== undefined);
  if (name) {
    const found = find(name);
    if (callable(found) === null) throw new BadEntrypoint(`'${path}' has nothing to call that is named '${name}'.`);
    return callable(found);
  }
  return candidates.map((candidate) => callable(find(candidate))).find((found) => found !== null) ?? null;
}

/** A function, or one around a LangGraph graph or LangChain runnable, by shape; null for anything else. */
function callable(found) {
  if (typeof found === "function") return found;
  if (typeof found?.stream !== "function" || typeof found.invoke !== "function") return null;
  return async function* (input, context) {
    let last = null;
    const stream = await found.stream(input, { configurable: { thread_id: context.thread_id ?? context.run_id } });
    for await (const part of stream) yield (last = part?.content ?? part);
    return last;
  };
}

/** Sends what an iterator yields; its return value, or the value itself, is the result. */
async function drive(returned) {
  const value = await returned;
  const iterator = value?.[Symbol.asyncIterator]?.() ?? (typeof value?.next === "function" ? value : null);
  if (!iterator) return value;
  for (;;) {
    const { done, value: part } = await iterator.next();
    if (done) return part;
    say("output", { content: part });
  }
}

/** The agent's own lines of a stack, with paths as the agent knows them. */
function describe(error) {
  if (!(error instanceof Error))
    return { error_type: typeof error, message: String(error).slice(0, maxText), traceback: null };
  const own = (error.stack ?? "")
    .split("\n")
    .filter((line) => !/\(?(node:|\[eval|data:text)/.test(line))
    .join("\n");
  const traceback = own.replaceAll(`file://${work}/`, "").replaceAll(`${work}/`, "").slice(0, maxText);
  return { error_type: error.name, message: error.message.slice(0, maxText), traceback };
}

function finish(type, fields) {
  if (over) return;
  const kept = send(type, fields);
  if (!kept)
    send("error", {
      code: "agent_error",
      error_type: "ResultTooLarge",
      message: `The result is longer than ${lineBytes} bytes.`,
      traceback: null,
    });
  over = true;
  process.exit(kept && type !== "error" ? 0 : 1);
}

function fail(error) {
  if (error instanceof Interrupted) return finish("interrupt", error.question);
  const ours = error instanceof NoEntrypoint || error instanceof BadEntrypoint;
  const described = ours
    ? { error_type: error.constructor.name, message: error.message, traceback: null }
    : describe(error);
  return finish("error", { code: ours ? error.code : "agent_error", ...described });
}

/** `process.exit()` in the agent, and a wait for what can never come, end the process past our own end. */
function watchExit() {
  process.on("exit", (code) => {
    if (over) return;
    if (code === 0 && !waiting) send("result", { result_content: null });
    else {
      const message = waiting && code !== 1 ? "The agent waits for something that never comes." : `exit ${code}`;
      send("error", { code: "agent_error", error_type: "Exit", message, traceback: null });
    }
  });
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    waiting = false;
    exit(code);
  };
}

let waiting = false;
let input = "";
process.stdin.setEncoding("utf8");
for await (const chunk of process.stdin) input += chunk;
if (input === "") process.exit(0); // The worker let this one go.
const request = JSON.parse(input);
Object.assign(process.env, request.env);
takeOverStreams();
watchExit();
process.on("uncaughtException", fail);
process.on("unhandledRejection", fail);
try {
  writeFiles(request.code);
  writeFiles(request.files);
  const context = createContext(request);
  offerHelper(context);
  waiting = true;
  const main = await loadEntrypoint(request);
  const result = main ? await drive(main(context.input, context)) : null;
  waiting = false;
  finish("result", { result_content: result ?? null });
} catch (error) {
  waiting = false;
  fail(error);
}
