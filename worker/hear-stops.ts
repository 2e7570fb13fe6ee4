import { connectSubscriber } from "../shared/stream/connection.ts";
import { workerChannel } from "../shared/stream/keys.ts";
import type { WorkerContext } from "./context.ts";

/** Listens for `stop <run id>` and looks at that run's row at once: it was cancelled, or taken over. */
export function hearStops({ config, leases, log, workerId }: WorkerContext): { close(): void } {
  const redis = connectSubscriber(config.redis.url, (error) =>
    log.warn({ part: "stops", err: error.message }, "connection fault"),
  );
  redis.subscribe(workerChannel(config.redis.prefix, workerId)).catch(() => undefined);
  redis.on("message", (_channel, message: string) => {
    const [word, runId] = message.split(" ");
    if (word === "stop" && runId) void leases.check(runId);
  });
  return { close: () => redis.disconnect() };
}
