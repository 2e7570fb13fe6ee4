import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import { encodeSse } from "./encode-sse.ts";

/** A piece of an answer's body: as text, and as the chunk that HTTP/1.1 sends it as (RFC 9112 7.1). */
export type Piece = { text: string; chunk: Buffer };

export const pieceOf = (text: string): Piece => ({
  text,
  chunk: Buffer.from(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`),
});

/** Encodes a batch of events once, for however many readers are handed that very array. */
export function createEncodeOnce(): (events: StreamEvent[]) => Piece {
  const pieces = new WeakMap<StreamEvent[], Piece>();
  return (events) => {
    const known = pieces.get(events);
    if (known) return known;
    const piece = pieceOf(events.map(encodeSse).join(""));
    pieces.set(events, piece);
    return piece;
  };
}
