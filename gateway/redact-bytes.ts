import { Transform, type TransformCallback } from "node:stream";
import type { PieceRunner } from "./share-event-loop.ts";

const redacted = Buffer.from("[redacted]");

/**
 * Returns a stream that replaces texts, however the bytes are cut. It holds back only what may be the beginning of one of them,
 * so an event that is complete is passed on at once. Its time is linear in the bytes, whatever they and the texts are.
 */
export function redactBytes(texts: readonly string[], pace: PieceRunner): Transform {
  const needles = texts.map(needleOf).toSorted((a, b) => b.bytes.length - a.bytes.length);
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      pace(() => {
        const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
        const clean = replaceAll(bytes, needles);
        const keep = Math.max(0, ...needles.map((needle) => heldBack(clean, needle)));
        held = keep === 0 ? Buffer.alloc(0) : Buffer.from(clean.subarray(clean.length - keep));
        done(null, keep === 0 ? clean : clean.subarray(0, clean.length - keep));
      });
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

/** `begins`: how many bytes before and with each one are also the beginning of the text (Knuth, Morris and Pratt). */
type Needle = { bytes: Buffer; begins: Int32Array };

function needleOf(text: string): Needle {
  const bytes = Buffer.from(text);
  const begins = new Int32Array(bytes.length);
  for (let at = 1, length = 0; at < bytes.length; at += 1) {
    while (length > 0 && bytes[at] !== bytes[length]) length = begins[length - 1] ?? 0;
    if (bytes[at] === bytes[length]) length += 1;
    begins[at] = length;
  }
  return { bytes, begins };
}

/** At the first place that has a text, the longest is replaced. */
function replaceAll(bytes: Buffer, needles: readonly Needle[]): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  /** Where each text is next. It is looked for again only when that is behind. */
  const next = needles.map((needle) => bytes.indexOf(needle.bytes));
  for (;;) {
    for (const [index, needle] of needles.entries()) {
      const at = next[index] ?? -1;
      if (at !== -1 && at < from) next[index] = bytes.indexOf(needle.bytes, from);
    }
    const at = Math.min(...next.map((found) => (found === -1 ? Infinity : found)));
    if (at === Infinity) break;
    parts.push(bytes.subarray(from, at), redacted);
    // The longest comes first.
    from = at + (needles[next.indexOf(at)]?.bytes.length ?? 0);
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** Returns how many of the last bytes are the beginning of a text. */
function heldBack(bytes: Buffer, { bytes: text, begins }: Needle): number {
  let length = 0;
  for (let at = Math.max(0, bytes.length - text.length + 1); at < bytes.length; at += 1) {
    while (length > 0 && bytes[at] !== text[length]) length = begins[length - 1] ?? 0;
    if (bytes[at] === text[length]) length += 1;
  }
  return length;
}
