import type { Response } from "express";
import { encodeChunk } from "./encoded-chunk.ts";
import { ssePing } from "./sse-ping.ts";
import { openSseWriter } from "./sse-writer.ts";
import { encodeAway, encodeStart, type SentAway } from "./resume-elsewhere.ts";

/** Returns the text of a message that is no run's event. */
export function encodeMessage<Message extends { event: string; id?: string; data: object }>(message: Message): string {
  const { event, id, data } = message;
  return `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Streams messages that are no run's events, at the client's pace. `texts` must end by itself when the client is gone. */
export async function writeSse(res: Response, texts: AsyncIterable<string>, away: SentAway): Promise<void> {
  const writer = openSseWriter(res, { headers: {}, first: encodeStart(), ping: ssePing });
  for await (const text of texts) await writer.write(encodeChunk(text));
  writer.end(encodeAway(away));
}
