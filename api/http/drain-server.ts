import { once } from "node:events";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * From `leaving` on, answers tell clients and proxies to connect elsewhere next time. Without it a proxy might reuse a
 * connection at the very moment in which it is closed, and lose its request.
 */
export function closeConnectionsWhenLeaving(server: Server, leaving: AbortSignal): void {
  server.prependListener("request", (_req, res) => {
    if (leaving.aborted) res.shouldKeepAlive = false;
  });
}

/** Accepts no more connections and waits until the requests under way are answered, `graceMs` at most. */
export async function drainServer(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await Promise.race([closed, sleep(graceMs, undefined, { ref: false })]);
  server.closeAllConnections();
}
