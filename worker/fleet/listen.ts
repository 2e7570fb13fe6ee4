import { type WorkerMessage, workerMessage } from "../../shared/schemas/dispatch.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { workerChannel } from "../../shared/platform/stream/keys.ts";
import type { WorkerContext } from "../context.ts";

/**
 * Listens to what is said to this worker about its runs. `look`: the run was cancelled or taken over, so its row is read at
 * once. `take`: it waits for this worker. Anything else becomes an event of the run, while it is held here.
 */
export function hearMessages(
  { config, leases, log, outputs, workerId }: WorkerContext,
  execute: (runId: string) => Promise<void>,
): { close(): void } {
  const redis = connectSubscriber(config.redis.url, (error) =>
    log.warn({ part: "messages", err: error.message }, "connection fault"),
  );
  redis.subscribe(workerChannel(config.redis.prefix, workerId)).catch(() => undefined);
  redis.on("message", (_channel, text: string) => {
    const message = parseMessage(text);
    if (message?.kind === "look") void leases.check(message.run_id);
    if (message?.kind === "take") void execute(message.run_id);
    if (message?.kind === "progress") {
      const { run_id, value, message: words } = message;
      void outputs.get(run_id)?.push({ type: "progress", value, message: words });
    }
  });
  return { close: () => redis.disconnect() };
}

/** Returns null for what is no message. */
export function parseMessage(text: string): WorkerMessage | null {
  try {
    return workerMessage.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
