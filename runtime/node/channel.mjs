// The channel from an agent's process to the worker: NDJSON frames on fd 3, with what the agent prints among them in order.
import { writeSync } from "node:fs";
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
  if (item instanceof Map) return Object.fromEntries(item);
  if (item instanceof Set) return [...item];
  if (item instanceof Error) return { name: item.name, message: item.message };
  return item;
}

/** @param {unknown} item */
function toPlain(item) {
  if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
  return typeof item === "function" || typeof item === "symbol" ? String(item) : item;
}

/**
 * Returns a value as JSON. What JSON can't express is converted; a reference to an enclosing value becomes "<circular>".
 * @param {unknown} value
 * @returns {string}
 */
export function toJson(value) {
  /** @type {unknown[]} */
  const enclosing = [];
  return stringify(
    value ?? null,
    /**
     * @this {unknown}
     * @param {string} _key
     * @param {unknown} item
     */
    function (_key, item) {
      if (typeof item !== "object" || item === null) return toPlain(item);
      const converted = convert(item);
      if (converted !== item) return converted;
      while (enclosing.length > 0 && enclosing.at(-1) !== this) enclosing.pop();
      if (enclosing.includes(item)) return "<circular>";
      enclosing.push(item);
      return item;
    },
  );
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
  const line = toJson({ type, to: channel.currentRunId(), ...fields });
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
    /**
     * @param {string | Uint8Array} chunk
     * @param {unknown} [encoding]
     * @param {unknown} [callback]
     */
    stream.write = (chunk, encoding, callback) => {
      if (channel.currentRunId() === null) return write(chunk, encoding, callback);
      print(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
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
