// What an agent's process says: NDJSON frames on fd 3, its prints among them in the order of its doing.
import { writeSync } from "node:fs";
import { format } from "node:util";

const eventsFd = 3;
const lineBytes = 12 * 1024 * 1024; // What the worker reads as one frame.

const { stringify } = JSON; // An agent may put another in its place.

export const channel = {
  /** Nothing that is said after the end counts. */
  over: false,
  /** While code is loaded ahead of its run, what it says is kept from it: a list; null otherwise. */
  held: null,
  /** Whose it is what is said now: a message's run id, or null for a daemon's own. The process of one run needs no such name. */
  speaker: () => undefined,
  /** A message that brings no state of its own finds what was saved last. */
  lastState: "",
};

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
export function toJson(value) {
  const above = [];
  return stringify(value ?? null, function (_key, item) {
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

export function send(type, fields) {
  if (channel.over) return true;
  if (channel.held) return channel.held.push(type) > 0;
  const line = toJson({ type, to: channel.speaker(), ...fields });
  if (line.length > lineBytes) return false;
  writeLine(line);
  return true;
}

/** Throws where it is too much for one frame, as the worker would take it for the run's end. */
export function say(type, fields) {
  if (send(type, fields)) return;
  const error = new RangeError(`One '${type}' of the run is longer than ${lineBytes} bytes.`);
  error.name = type === "artifact" ? "ArtifactTooLarge" : "EventTooLarge";
  throw error;
}

export const sayOutput = (content) => say("output", { content: content ?? null });

/** Text in pieces that are frames of a fair size each. */
function sendText(text, wrap) {
  for (let at = 0; at < text.length; at += 1 << 20) wrap(text.slice(at, at + (1 << 20)));
}
const sendOutput = (text) => sendText(text, sayOutput);
const sendLog = (text) =>
  sendText(text, (message) => say("log", { level: "info", stream: "stderr", message: message.replace(/\n$/, "") }));

/** In the order of the agent's doing: what it prints takes the way of what it yields. What no message prints is a daemon's log. */
export function takeOverStreams() {
  const replace = (stream, wrap) => {
    const print = stream.write.bind(stream);
    stream.write = (chunk, encoding, callback) => {
      if (channel.speaker() === null) return print(chunk, encoding, callback);
      wrap(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
      const done = typeof encoding === "function" ? encoding : callback;
      if (done) process.nextTick(done);
      return true;
    };
  };
  replace(process.stdout, sendOutput);
  replace(process.stderr, sendLog);
  for (const name of ["log", "info", "debug"])
    console[name] = (...args) => void process.stdout.write(`${format(...args)}\n`);
  for (const name of ["error", "warn", "trace"])
    console[name] = (...args) => void process.stderr.write(`${format(...args)}\n`);
}

/** Sends a run's last frame, or in its place an error; answers whether the run ended well. */
export function sendLast({ type, ...fields }) {
  if (send(type, fields)) return type !== "error";
  const message = `The result is longer than ${lineBytes} bytes.`;
  send("error", { code: "agent_error", error_type: "ResultTooLarge", message, traceback: null });
  return false;
}
