import type { Response } from "express";

const pingMs = 15_000;

/** A comment, which is no event: keeps the connection alive through proxies. */
export const ssePing = ": ping\n\n";

/** The same without the blank line, which LangGraph's client takes for a message. */
export const ssePingLine = ": ping\n";

/** Sends `ping` every 15 s until the response is closed or the returned function is called. `""`: no pings. */
export function startPings(res: Response, ping: string): () => void {
  const pings = ping === "" || res.destroyed ? undefined : setInterval(() => res.write(ping), pingMs);
  const stop = (): void => clearInterval(pings);
  res.on("close", stop);
  return stop;
}
