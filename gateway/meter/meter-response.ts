import { Transform, type TransformCallback } from "node:stream";
import type { TokenCount } from "../../shared/domain/price/model-price.ts";
import { bodyLimits } from "../limits.ts";
import type { PieceRunner } from "../share-event-loop.ts";
import type { Protocol } from "./protocol.ts";
import { readEnds } from "./read-ends.ts";
import { readJson, readAnswerUsage } from "./read-usage.ts";

/** What was read of an answer so far. */
export type Reading = {
  model: string | null;
  usage: TokenCount | null;
  /** The answer came to its end, as its protocol has it. */
  isWhole: boolean;
  /** It tells an error, or can't be read. */
  isFailed: boolean;
  bytes: number;
  /** Events of a stream. */
  pieces: number;
};

type Options = { protocol: Protocol | null; isStream: boolean; dropsUsage: boolean; pace: PieceRunner };

/**
 * Returns a stream that passes an answer on and reads what it cost. Events of a stream are passed on whole, each as soon as it is
 * complete. `dropsUsage`: an event that only tells the usage, which the client didn't ask for, is left out.
 */
export function meterAnswer(options: Options): { stream: Transform; reading: Reading } {
  const reading: Reading = { model: null, usage: null, isWhole: false, isFailed: false, bytes: 0, pieces: 0 };
  if (options.protocol === null) return { stream: counting(reading), reading };
  const parts = { ...options, protocol: options.protocol, reading };
  return { stream: options.isStream ? readEvents(parts) : readWhole(parts), reading };
}

type Parts = { protocol: Protocol; dropsUsage: boolean; pace: PieceRunner; reading: Reading };

const counting = (reading: Reading): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      reading.bytes += chunk.length;
      done(null, chunk);
    },
    flush(done: TransformCallback) {
      reading.isWhole = true;
      done();
    },
  });

/** Of an answer of more bytes than are read as a whole, both ends are. */
function readWhole({ protocol, reading }: Parts): Transform {
  let parts: Buffer[] = [];
  let head: string | null = null;
  let held = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      reading.bytes += chunk.length;
      parts.push(chunk);
      held += chunk.length;
      if (held > bodyLimits.answer) {
        const all = Buffer.concat(parts);
        head ??= all.toString("utf8", 0, bodyLimits.answerEnds);
        parts = [Buffer.from(all.subarray(-bodyLimits.answerEnds))];
        held = bodyLimits.answerEnds;
      }
      done(null, chunk);
    },
    flush(done: TransformCallback) {
      const text = Buffer.concat(parts).toString("utf8");
      const value = head === null ? readJson(text) : readEnds(head, text.slice(-bodyLimits.answerEnds));
      const { model, usage, isFailed } = readAnswerUsage(protocol, value, null);
      Object.assign(reading, { model, usage, isWhole: true, isFailed: isFailed || value === null });
      done();
    },
  });
}

function readEvents({ protocol, dropsUsage, pace, reading }: Parts): Transform {
  let held: Buffer = Buffer.alloc(0);
  /** Both ends of an event that was too long to be held: its bytes are passed on as they come. */
  let long: LongEvent | null = null;
  const take = (event: Buffer): boolean => {
    const data = dataOf(event);
    return data === null || read(data, mayTell.test(data) ? readJson(data) : null);
  };
  const takeLong = ({ head, tail }: LongEvent): void => {
    const data = dataOf(head);
    if (data !== null) read(data, readEnds(data, tail.toString("utf8")));
  };
  /** Returns false for an event that is left out. */
  const read = (data: string, value: unknown): boolean => {
    reading.pieces += 1;
    const type = typeOf(protocol, data);
    reading.isFailed ||= fails.test(data) || failing.has(type);
    reading.isWhole ||= data === "[DONE]" || ending.has(type);
    if (value === null) return true;
    const told = readAnswerUsage(protocol, value, reading.usage);
    reading.model = told.model ?? reading.model;
    reading.usage = told.usage ?? reading.usage;
    return !(dropsUsage && told.usage !== null && (value as { choices?: unknown[] }).choices?.length === 0);
  };
  /** Returns the events that a chunk completes. */
  function pass(chunk: Buffer): Buffer | undefined {
    reading.bytes += chunk.length;
    let bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    // What was held has no end, but may hold the beginning of one.
    let from = Math.max(0, held.length - 3);
    const passed: Buffer[] = [];
    for (let end = endAfter(long, bytes, from); end !== -1; end = endAfter(long, bytes, from)) {
      const event = bytes.subarray(0, end);
      bytes = bytes.subarray(end);
      from = 0;
      if (long) takeLong(endsOf(long, event));
      if (long || take(event)) passed.push(event);
      long = null;
    }
    if (long || bytes.length > bodyLimits.event) {
      passed.push(bytes);
      long = endsOf(long, bytes);
      held = Buffer.alloc(0);
    } else held = bytes.length === 0 ? bytes : Buffer.from(bytes);
    return passed.length === 0 ? undefined : Buffer.concat(passed);
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      pace(() => done(null, pass(chunk)));
    },
    flush(done: TransformCallback) {
      if (long) takeLong(long);
      else if (held.length > 0) take(held);
      if (protocol === "google" && reading.usage !== null) reading.isWhole = true;
      done(null, held);
    },
  });
}

/** Events that say something of the whole answer. Most don't, and aren't parsed. */
const mayTell = /"(usage|usageMetadata|model|modelVersion)"\s*:/;
const fails = /^\{\s*"error"\s*:\s*\{/;
/** Events by which an answer ends, and those that say that it has failed. */
const ending = new Set(["response.completed", "response.incomplete", "response.failed", "message_stop"]);
const failing = new Set(["response.failed", "error"]);
/** What an event calls itself. A tool's arguments and schemas may have a type of the same name. */
const ownType = /^\{\s*"type"\s*:\s*"([^"]*)"/;
const mayBeType = /"type"\s*:\s*"(response\.(completed|incomplete|failed)|message_stop|error)"/;

/** Google's events, and those of OpenAI's chat, have no type. */
function typeOf(protocol: Protocol, data: string): string {
  if (protocol === "google" || protocol === "chat" || !mayBeType.test(data)) return "";
  const value = ownType.exec(data)?.[1] ?? (readJson(data) as { type?: unknown } | null)?.type;
  return typeof value === "string" ? value : "";
}

type LongEvent = { head: Buffer; tail: Buffer };

/** Returns both ends of a long event, with what came of it now. */
function endsOf(before: LongEvent | null, bytes: Buffer): LongEvent {
  const tail = Buffer.concat([before?.tail ?? Buffer.alloc(0), bytes]).subarray(-bodyLimits.answerEnds);
  return { head: before?.head ?? Buffer.from(bytes.subarray(0, bodyLimits.answerEnds)), tail: Buffer.from(tail) };
}

const [lf, cr] = [10, 13];

/** Returns where the event that begins the bytes ends; -1: it is not complete. `from`: no end begins before. */
function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length - 1; at += 1) {
    const byte = bytes[at];
    if (byte !== lf && byte !== cr) continue;
    if (bytes[at + 1] === byte) return at + 2;
    if (byte === cr && bytes[at + 1] === lf && bytes[at + 2] === cr && bytes[at + 3] === lf) return at + 4;
  }
  return -1;
}

/** The same. The end of a long event may be cut in two. */
function endAfter(long: LongEvent | null, bytes: Buffer, from: number): number {
  if (!long) return endOfEvent(bytes, from);
  const seam = long.tail.subarray(-3);
  const end = endOfEvent(Buffer.concat([seam, bytes]), 0);
  return end === -1 ? -1 : end - seam.length;
}

function dataOf(event: Buffer): string | null {
  if (!event.includes("data:")) return null;
  const lines = event
    .toString("utf8")
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim());
  return lines.length === 0 ? null : lines.join("\n");
}
