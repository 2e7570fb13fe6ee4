import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { encodeSse } from "./encode-sse.ts";

/** A part of a response's body: as text, and as the chunk in which HTTP/1.1 sends the text (RFC 9112, 7.1). */
export type EncodedChunk = { text: string; chunk: Buffer };

export const encodeChunk = (text: string): EncodedChunk => ({
  text,
  chunk: Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`),
});

/** Encodes a batch of events once for all readers that are handed the same array. */
export function createEncodeOnce(): (events: StreamEvent[]) => EncodedChunk {
  const encoded = new WeakMap<StreamEvent[], EncodedChunk>();
  return (events) => {
    const known = encoded.get(events);
    if (known) return known;
    const chunk = encodeChunk(events.map(encodeSse).join(""));
    encoded.set(events, chunk);
    return chunk;
  };
}
