import type { Response } from "express";
import { encodeRetry } from "./encode-sse.ts";
import { encodeChunk } from "./encoded-chunk.ts";
import { ssePing } from "./sse-ping.ts";
import { openSseWriter } from "./sse-writer.ts";
import { retryMs } from "./stream-format.ts";

/** Streams messages that are no run's events, at the client's pace. `texts` must end by itself when the client is gone. */
export async function writeSse(res: Response, texts: AsyncIterable<string>): Promise<void> {
  const writer = openSseWriter(res, { headers: {}, first: encodeRetry(retryMs), ping: ssePing });
  for await (const text of texts) await writer.write(encodeChunk(text));
  writer.end("");
}
