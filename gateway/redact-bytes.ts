import { Transform, type TransformCallback } from "node:stream";
import { createReplacer } from "../shared/platform/secrets/replace-texts.ts";
import type { PieceRunner } from "./share-event-loop.ts";

const redacted = "[redacted]";

/**
 * Returns a stream that replaces texts, however the bytes are cut. It holds back only what may be the beginning of one of them,
 * so an event that is complete is passed on at once. Its time is linear in the bytes, whatever they and the texts are.
 */
export function redactBytes(texts: readonly string[], pace: PieceRunner): Transform {
  const needles = texts.map(needleOf);
  // A character of Latin-1 is a byte.
  const replace = createReplacer(
    needles.map(({ bytes }) => bytes.toString("latin1")),
    redacted,
  );
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      pace(() => {
        const bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
        const clean = Buffer.from(replace(bytes.toString("latin1")), "latin1");
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

/** What replaces the texts of a list that is used again and again. */
const replacers = new WeakMap<readonly string[], (text: string) => string>();

/** Returns a text without these texts. */
export function redactText(text: string, texts: readonly string[]): string {
  const replace = replacers.get(texts) ?? createReplacer(texts, redacted);
  replacers.set(texts, replace);
  return replace(text);
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

/** Returns how many of the last bytes are the beginning of a text. */
function heldBack(bytes: Buffer, { bytes: text, begins }: Needle): number {
  let length = 0;
  for (let at = Math.max(0, bytes.length - text.length + 1); at < bytes.length; at += 1) {
    while (length > 0 && bytes[at] !== text[length]) length = begins[length - 1] ?? 0;
    if (bytes[at] === text[length]) length += 1;
  }
  return length;
}
