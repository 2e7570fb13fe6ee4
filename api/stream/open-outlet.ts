import type { EventEmitter } from "node:events";
import type { Response } from "express";
import type { Piece } from "./piece.ts";

const pingMs = 15_000;
/** A client that takes nothing for this long is let go; it can resume. */
const stuckClientMs = 30_000;

type Opening = {
  headers: Readonly<Record<string, string>>;
  /** Sent with the headers; may be empty, as the ping may, which is sent now and then. */
  first: string;
  ping: string;
};

/** A streamed answer's way out. */
export type Outlet = {
  /** Gives a promise where the client is behind; it resolves when the client took all of it, or has gone. */
  write(piece: Piece): Promise<void> | undefined;
  /** The last words, or "". */
  end(text: string): void;
};

/** What tells a browser how to show a document. A stream is none, and Node keeps 2 KB of them while the answer lasts. */
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

/** Answers with a stream: headers now, pings from time to time, and what is written. */
export function openOutlet(res: Response, { headers, first, ping }: Opening): Outlet {
  for (const name of documentHeaders) res.removeHeader(name);
  res.status(200).set({
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-cache, no-transform",
    "X-Accel-Buffering": "no",
    ...headers,
  });
  res.cork();
  // By themselves: Node keeps the headers' text for as long as the answer lasts, and it is 2 KB smaller once it was sent so.
  res.flushHeaders();
  res.write(first);
  res.uncork();
  const pings = ping === "" || res.destroyed ? undefined : setInterval(() => res.write(ping), pingMs);
  const stop = (): void => clearInterval(pings);
  res.on("close", stop);
  return {
    write: (piece) => write(res, piece),
    end(text) {
      stop();
      res.end(text);
    },
  };
}

function write(res: Response, { text, chunk }: Piece): Promise<void> | undefined {
  if (text === "" || res.destroyed) return undefined;
  const { socket } = res;
  // Node would make the chunk anew for each client, and three writes of it.
  if (socket && res.chunkedEncoding) return socket.write(chunk) ? undefined : drained(res, socket);
  return res.write(text) ? undefined : drained(res, res);
}

function drained(res: Response, out: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const stuck = setTimeout(() => res.destroy(), stuckClientMs);
    const done = (): void => {
      clearTimeout(stuck);
      out.off("drain", done);
      res.off("close", done);
      resolve();
    };
    out.on("drain", done);
    res.on("close", done);
  });
}
