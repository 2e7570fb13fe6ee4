import { AsyncLocalStorage } from "node:async_hooks";
import type { Socket } from "node:net";
import { createFaultCount } from "../shared/platform/lifecycle/count-faults.ts";
import { createLog } from "../shared/platform/log.ts";
import { type FromGateway, gatewayOptions } from "../shared/schemas/gateway.ts";
import { gatewayLimits } from "./limits.ts";
import { hearWorker } from "./hear-worker.ts";

/**
 * A worker's gateway: the process through which everything leaves its sandboxes. It reads what agents and strangers send, so it
 * holds nothing: no database, no key, no run. When it ends, the calls in flight are lost and its worker starts another one.
 */
const options = gatewayOptions.parse(JSON.parse(process.argv[2] ?? ""));
const log = createLog("gateway", options.log_level);
const faults = createFaultCount({ most: 100, withinMs: 60_000 });
/** Whose fault it is that something is thrown. */
const current = new AsyncLocalStorage<Socket>();

const tell = (message: FromGateway): void => void process.send?.(message, () => undefined);

/** An error costs the connection that it is about. So many that something must be broken in here cost all of them, once. */
function note(error: unknown, origin: string): void {
  log.error({ origin, err: error instanceof Error ? error.stack : String(error) }, "an error of a connection's");
  if (faults.add(performance.now())) process.exit(70);
}

const hear = hearWorker({
  options,
  limits: gatewayLimits,
  tell,
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
process.on("message", hear);
// It ends with its worker, and not before: signals to a whole group reach both, and runs may go on for a while.
process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => undefined);
process.on("SIGINT", () => undefined);
