import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Once `leaving` is aborted, answers tell clients and proxies not to reuse the connection. Otherwise a proxy could send a request
 * at the moment in which the connection is closed, and lose it.
 */
export function closeConnectionsWhenLeaving(server: Server, leaving: AbortSignal): void {
  server.prependListener("request", (_req, res) => {
    if (leaving.aborted) res.shouldKeepAlive = false;
  });
}

/** Accepts no more connections, and waits until the active requests are answered, at most `graceMs`. */
export async function drainServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
  server.closeAllConnections();
}
