import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const sweepMs = 50;

/**
 * Takes no further connection, answers what is under way and what still comes over open connections, and closes each when
 * it has its answer. After `graceMs` what is left is cut.
 */
export async function drainServer(server: Server, graceMs: number): Promise<void> {
  server.prependListener("request", (_req, res) => res.setHeader("Connection", "close"));
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
}
