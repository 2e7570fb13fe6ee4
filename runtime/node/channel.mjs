// The channel from an agent's process to the worker: NDJSON frames on fd 3, with what the agent prints among them in order.
import { writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";
import { format } from "node:util";

/** @import { Fields, Frame } from "./types.d.ts" */

const eventsFd = 3;
const maxLineLength = 12 * 1024 * 1024; // The longest line that the worker reads as one frame.

const { stringify } = JSON; // An agent may replace it.

export const channel = {
  /** True once the last frame was written: later frames are dropped. */
  isClosed: false,
  /**
   * The types of the frames that code sent while it was loaded ahead of its run. They are not written. Null when frames are
   * written.
   * @type {string[] | null}
   */
  heldFrames: null,
  /**
   * Returns the id of the run that a frame belongs to, or null for a daemon's own frames. A process of one run has no such id.
   * @type {() => string | null | undefined}
   */
  currentRunId: () => undefined,
  /**
   * Returns the output segment of a frame of this type, or null for a frame that is not sent. Only durable runs have segments.
   * @type {(type: string) => string | null | undefined}
   */
  segmentOf: () => undefined,
  /**
   * Hears of the state and the usage that the code reports. Only durable runs listen.
   * @type {(type: string, fields: Fields) => void}
   */
  onReport: () => {},
  /**
   * The state that was saved last. A message without a state of its own gets it.
   * @type {string | null}
   */
  lastState: "",
};

/**
 * What JSON can't express, in the nearest form that it can.
 * @param {object} item
 * @returns {unknown}
 */
function convert(item) {
  if (item instanceof Uint8Array) return { $bytes: Buffer.from(item).toString("base64") };
  if (item instanceof ArrayBuffer) return { $bytes: Buffer.from(item).toString("base64") };
  // Numbers, as an embedding has them.
  if (ArrayBuffer.isView(item) && Symbol.iterator in item) return listOf(/** @type {Iterable<unknown>} */ (item));
  if (item instanceof Map) return Object.fromEntries(item);
  if (item instanceof Set) return [...item];
  if (item instanceof Error) return { name: item.name, message: item.message };
  if (item instanceof RegExp) return String(item);
  if (!Array.isArray(item) && Symbol.iterator in item && Object.keys(item).length === 0) return convertIterable(item);
  return convertLangChain(item);
}

const mostValues = 250_000; // The worker refuses a result with more. An iterator may have no end.

/** @param {Iterable<unknown>} items */
function listOf(items) {
  const list = [];
  for (const item of items) if (list.push(item) > mostValues) break;
  return list;
}

/** Headers and the like become objects, as a map does; what else can be iterated and has nothing of its own, a list. */
/** @param {any} item */
const convertIterable = (item) =>
  typeof item.entries === "function" && typeof item.get === "function" ? Object.fromEntries(item) : listOf(item);

/** What a LangChain message has for others. Its own JSON is that of a constructor's call. */
const messageFields = [
  "content",
  "id",
  "name",
  "tool_calls",
  "tool_call_id",
  "status",
  "usage_metadata",
  "response_metadata",
];

/** @param {any} item */
const isMessage = (item) => typeof item?.getType === "function" && "content" in item && "lc_namespace" in item;

/** @param {any} item */
function convertLangChain(item) {
  if (isMessage(item)) {
    const given = messageFields.filter((name) => item[name] !== undefined);
    return { type: item.getType(), ...Object.fromEntries(given.map((name) => [name, item[name]])) };
  }
  return item.lc === 1 && item.type === "constructor" && item.kwargs ? item.kwargs : item;
}

/** @param {unknown} item */
function toPlain(item) {
  if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
  // A function's text is the agent's source.
  if (typeof item === "function") return undefined;
  return typeof item === "symbol" ? String(item) : item;
}

/**
 * Returns a value as JSON. What JSON can't express is converted; a reference to an enclosing value becomes "<circular>".
 * @param {unknown} value
 * @returns {string}
 */
export function toJson(value) {
  /** @type {{ given: unknown, shown: unknown }[]} */
  const enclosing = [];
  const text = stringify(
    value ?? null,
    /**
     * @this {unknown}
     * @param {string} key
     * @param {unknown} made
     */
    function (key, made) {
      const given = /** @type {any} */ (this)[key];
      // A message's own JSON is another, and a buffer's is a list of numbers.
      const item = isMessage(given) || given instanceof Uint8Array ? given : made;
      if (typeof item !== "object" || item === null) return toPlain(item);
      while (enclosing.length > 0 && enclosing.at(-1)?.shown !== this) enclosing.pop();
      if (enclosing.some((outer) => outer.given === given)) return "<circular>";
      const shown = convert(item);
      enclosing.push({ given, shown });
      return shown;
    },
  );
  return text ?? "null";
}

/** @param {unknown} error */
const isFull = (error) => error instanceof Error && "code" in error && error.code === "EAGAIN";

/** @param {string} line */
function writeLine(line) {
  const bytes = Buffer.from(`${line}\n`);
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(eventsFd, bytes, offset);
    } catch (error) {
      if (!isFull(error)) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // 1 ms, until the worker has read some of the pipe.
    }
  }
}

/**
 * Writes a frame. Returns false when it is longer than the worker would read.
 * @param {string} type
 * @param {Fields} [fields]
 */
export function writeFrame(type, fields) {
  if (channel.isClosed) return true;
  if (channel.heldFrames) {
    channel.heldFrames.push(type);
    return true;
  }
  const segment = channel.segmentOf(type);
  if (segment === null) return true;
  const line = toJson({ type, to: channel.currentRunId(), segment, ...fields });
  if (line.length > maxLineLength) return false;
  writeLine(line);
  return true;
}

/**
 * Writes a frame. Throws when it is longer than the worker would read.
 * @param {string} type
 * @param {Fields} fields
 */
export function send(type, fields) {
  if (writeFrame(type, fields)) return;
  const error = new RangeError(`One '${type}' of the run is longer than ${maxLineLength} bytes.`);
  error.name = type === "artifact" ? "ArtifactTooLarge" : "EventTooLarge";
  throw error;
}

/** @param {unknown} content */
export const sendOutput = (content) => send("output", { content: content ?? null });

/**
 * Calls `sendPart` with pieces of at most 1 Mi characters.
 * @param {string} text
 * @param {(part: string) => void} sendPart
 */
function sendInParts(text, sendPart) {
  for (let start = 0; start < text.length; start += 1 << 20) sendPart(text.slice(start, start + (1 << 20)));
}

/** @param {string} text */
const printOutput = (text) => sendInParts(text, sendOutput);

/** @param {string} text */
const printLog = (text) =>
  sendInParts(text, (part) => send("log", { level: "info", stream: "stderr", message: part.replace(/\n$/, "") }));

/**
 * Sends what the agent prints as frames, in order with the frames that it yields. What a daemon prints outside of a message
 * goes to the real descriptor, which is the daemon's log.
 */
export function captureOutput() {
  /**
   * @param {NodeJS.WriteStream} stream
   * @param {(text: string) => void} print
   */
  const replaceWrite = (stream, print) => {
    const write = /** @type {(...args: unknown[]) => boolean} */ (stream.write.bind(stream));
    const decoder = new StringDecoder("utf8");
    /**
     * @param {string | Uint8Array} chunk
     * @param {unknown} [encoding]
     * @param {unknown} [callback]
     */
    stream.write = (chunk, encoding, callback) => {
      if (channel.currentRunId() === null) return write(chunk, encoding, callback);
      print(typeof chunk === "string" ? decoder.end() + chunk : decoder.write(Buffer.from(chunk)));
      const done = typeof encoding === "function" ? encoding : callback;
      if (typeof done === "function") process.nextTick(done);
      return true;
    };
  };
  replaceWrite(process.stdout, printOutput);
  replaceWrite(process.stderr, printLog);
  for (const name of /** @type {const} */ (["log", "info", "debug"]))
    console[name] = (...args) => void process.stdout.write(`${format(...args)}\n`);
  for (const name of /** @type {const} */ (["error", "warn", "trace"]))
    console[name] = (...args) => void process.stderr.write(`${format(...args)}\n`);
}

/**
 * Writes a run's last frame, or an error in its place when it is too long. Returns whether the run ended well.
 * @param {Frame} last
 */
export function writeEnding({ type, ...fields }) {
  if (writeFrame(type, fields)) return type !== "error";
  const message = `The result is longer than ${maxLineLength} bytes.`;
  writeFrame("error", { code: "agent_error", error_type: "ResultTooLarge", message, traceback: null });
  return false;
}
