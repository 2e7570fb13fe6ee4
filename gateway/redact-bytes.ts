import { Transform, type TransformCallback } from "node:stream";

const redacted = Buffer.from("[redacted]");

/**
 * Returns a stream that replaces texts, however the bytes are cut. It holds back only what may be the beginning of one of them,
 * so an event that is complete is passed on at once.
 */
export function redactBytes(texts: readonly string[]): Transform {
  const needles = texts.map((text) => Buffer.from(text)).toSorted((a, b) => b.length - a.length);
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      const clean = replaceAll(bytes, needles);
      const keep = heldBack(clean, needles);
      held = keep === 0 ? Buffer.alloc(0) : Buffer.from(clean.subarray(clean.length - keep));
      done(null, keep === 0 ? clean : clean.subarray(0, clean.length - keep));
    },
    flush(done: TransformCallback) {
      done(null, held);
    },
  });
}

/** Returns a text without these texts. */
export function redactText(text: string, texts: readonly string[]): string {
  return texts.reduce((clean, one) => clean.replaceAll(one, String(redacted)), text);
}

function replaceAll(bytes: Buffer, needles: readonly Buffer[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (;;) {
    const found = firstOf(bytes, needles, from);
    if (!found) break;
    parts.push(bytes.subarray(from, found.at), redacted);
    from = found.at + found.length;
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** The first place, and there the longest text. */
function firstOf(bytes: Buffer, needles: readonly Buffer[], from: number): { at: number; length: number } | null {
  let first: { at: number; length: number } | null = null;
  for (const needle of needles) {
    const at = bytes.indexOf(needle, from);
    if (at !== -1 && (first === null || at < first.at)) first = { at, length: needle.length };
  }
  return first;
}

/** Returns how many of the last bytes are the beginning of a text. */
function heldBack(bytes: Buffer, needles: readonly Buffer[]): number {
  let most = 0;
  for (const needle of needles)
    for (let length = Math.min(needle.length - 1, bytes.length); length > most; length -= 1)
      if (bytes.subarray(bytes.length - length).equals(needle.subarray(0, length))) most = length;
  return most;
}
