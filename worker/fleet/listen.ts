import { type WorkerMessage, workerMessage } from "../../shared/schemas/dispatch.ts";
import { connectSubscriber } from "../../shared/platform/stream/connection.ts";
import { workerChannel } from "../../shared/platform/stream/keys.ts";
import type { WorkerContext } from "../context.ts";
import { logFaults } from "../../shared/platform/log.ts";

/**
 * Listens for messages to this worker about its runs. `look`: the run was cancelled or taken over, so its row is read at
 * once. `input`: something was said to the run. `take`: the run waits for this worker. `granted`: the run is this worker's
 * already. `progress` becomes an event of the run, if the run executes here.
 */
export function listenForMessages(
  {
    config,
    leases,
    log,
    outputs,
    journals,
    workerId,
  }: Pick<WorkerContext, "config" | "leases" | "log" | "outputs" | "journals" | "workerId">,
  taker: { execute(runId: string): Promise<void>; executeGranted(runId: string, sealed: string | null): void },
): { close(): void } {
  const redis = connectSubscriber(config.redis.url, logFaults(log, "messages"));
  redis.subscribe(workerChannel(config.redis.prefix, workerId)).catch(() => undefined);
  redis.on("message", (_channel, json: string) => {
    const message = parseMessage(json);
    if (!message) return;
    if (message.kind === "look") void leases.check(message.run_id);
    if (message.kind === "input") journals.get(message.run_id)?.look();
    if (message.kind === "take") void taker.execute(message.run_id);
    if (message.kind === "granted") taker.executeGranted(message.run_id, message.sealed);
    if (message.kind === "progress") {
      const { run_id, value, message: text } = message;
      void outputs.get(run_id)?.push({ type: "progress", value, message: text });
    }
  });
  return { close: () => redis.disconnect() };
}

/** Returns null for text that is not a message. */
export function parseMessage(json: string): WorkerMessage | null {
  try {
    return workerMessage.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
