import { AsyncLocalStorage } from "node:async_hooks";
import { Socket } from "node:net";
import { createFaultCount } from "../shared/platform/lifecycle/count-faults.ts";
import { createLog } from "../shared/platform/log.ts";
import { type FromGateway, gatewayOptions } from "../shared/schemas/gateway.ts";
import { gatewayLimits } from "./limits.ts";
import { createMessageHandler } from "./handle-messages.ts";
import { outliveWorker } from "./outlive-worker.ts";
import { errorText } from "../shared/platform/error-text.ts";

/**
 * A worker's gateway: the process through which everything leaves the worker's sandboxes. It reads what agents and strangers
 * send, so it holds no database, and keys of connections only while a run has them. When it ends, the calls in flight are lost and the worker starts
 * another gateway. When the worker ends, the gateway reads the answers to calls that have left to their ends, and hands them to its keeper.
 */
const keeperFd = 4;
const options = gatewayOptions.parse(JSON.parse(process.argv[2] ?? ""));
const log = createLog("gateway", options.log_level);
const faults = createFaultCount({ most: 100, withinMs: 60_000 });
/** The connection whose handler runs now; an error is attributed to it. */
const current = new AsyncLocalStorage<Socket>();

const send = (message: FromGateway): void => void process.send?.(message, () => undefined);

/** An error ends its own connection only. After too many errors the gateway itself must be broken, and its process ends. */
function note(error: unknown, origin: string): void {
  log.error(
    { origin, err: errorText(error), stack: error instanceof Error ? error.stack : null },
    "an error in a connection's handler",
  );
  if (faults.add(performance.now())) process.exit(70);
}

const handler = createMessageHandler({
  options,
  limits: gatewayLimits,
  send,
  faults: () => faults.total(),
  guard: (socket, act) =>
    current.run(socket, () => {
      act().catch((error: unknown) => {
        socket.destroy();
        note(error, "handler");
      });
    }),
});

process.on("uncaughtException", (error, origin) => {
  current.getStore()?.destroy();
  note(error, origin);
});
process.on("message", (message, socket) => handler.take(message, socket));
// The gateway doesn't end before its worker: signals to a process group reach both, while runs may go on for a while.
process.on("disconnect", () => outliveWorker(handler, new Socket({ fd: keeperFd }), () => process.exit(0)));
process.on("SIGTERM", () => undefined);
process.on("SIGINT", () => undefined);
