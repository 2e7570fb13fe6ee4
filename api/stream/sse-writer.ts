import type { EventEmitter } from "node:events";
import type { Response } from "express";
import type { EncodedChunk } from "./encoded-chunk.ts";
import { startPings } from "./sse-ping.ts";

/** A client that reads nothing for this long, or for twice as long, is disconnected. It can resume. */
const stuckClientMs = 30_000;

type SseOptions = {
  headers: Readonly<Record<string, string>>;
  /** The text that is sent together with the headers; may be empty. */
  first: string;
  /** The text of a ping. `""`: no pings. */
  ping: string;
};

/** Writes a streamed response. */
export type SseWriter = {
  /** Returns a promise when the client is behind. The promise resolves when the client has caught up or is gone. */
  write(chunk: EncodedChunk): Promise<void> | undefined;
  /** Ends the response. `text` is its last part and may be empty. */
  end(text: string): void;
};

/** Headers about how a browser shows a document. A stream is no document, and Node keeps 2 KB of them per open response. */
const documentHeaders = [
  "Content-Security-Policy",
  "Cross-Origin-Opener-Policy",
  "Origin-Agent-Cluster",
  "Referrer-Policy",
  "X-DNS-Prefetch-Control",
  "X-Download-Options",
  "X-Permitted-Cross-Domain-Policies",
  "X-XSS-Protection",
];

/** Starts a streamed response: sends the headers and `first` at once, and pings until the response ends. */
export function openSseWriter(res: Response, { headers, first, ping }: SseOptions): SseWriter {
  for (const name of documentHeaders) res.removeHeader(name);
  res.status(200).set({
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...headers,
  });
  res.cork();
  // Node keeps the text of the headers as long as the response lasts. Flushed separately, that text is 2 KB smaller.
  res.flushHeaders();
  res.write(first);
  res.uncork();
  const stopPings = startPings(res, ping);
  return {
    write: (chunk) => write(res, chunk),
    end(text) {
      stopPings();
      res.end(text);
    },
  };
}

function write(res: Response, { text, chunk }: EncodedChunk): Promise<void> | undefined {
  if (text === "" || res.destroyed) return undefined;
  const { socket } = res;
  // `res.write` would build the HTTP chunk again for each client, and write it in three parts.
  if (socket && res.chunkedEncoding) return socket.write(chunk) ? undefined : drained(res, socket);
  return res.write(text) ? undefined : drained(res, res);
}

function drained(res: Response, out: EventEmitter): Promise<void> {
  const { socket } = res;
  return new Promise((resolve) => {
    const cut = (): void => void res.destroy();
    // Node begins the time anew as long as what waits to be sent gets less.
    socket?.setTimeout(stuckClientMs, cut);
    const done = (): void => {
      socket?.setTimeout(0, cut);
      out.off("drain", done);
      res.off("close", done);
      resolve();
    };
    out.on("drain", done);
    res.on("close", done);
  });
}
