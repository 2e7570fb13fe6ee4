import type { Log } from "../../shared/platform/log.ts";
import type { FromGateway, GatewayOptions } from "../../shared/schemas/gateway.ts";
import { type GatewayProcess, type GatewayScripts, startGateway } from "./start-gateway.ts";

export type GatewayStart = GatewayScripts & {
  options: GatewayOptions;
  log: Log;
};

type Hooks = {
  /** True when a sandbox needs a gateway. */
  isNeeded: () => boolean;
  /** Called some time after a gateway has ended: nothing more is heard of it. */
  onLost: () => void;
  onStart: (gateway: GatewayProcess) => void;
  onMessage: (message: FromGateway) => void;
};

export type SupervisedGateway = {
  /** Returns the running gateway; null when there is none. */
  current(): GatewayProcess | null;
  /** Starts a gateway, unless one runs or a restart is scheduled. */
  ensure(): void;
  /** `outlives`: calls are open whose answers are to be kept. */
  close(outlives: boolean): void;
};

const firstBackoffMs = 100;
const mostBackoffMs = 5_000;
/** After a gateway that ran this long, the backoff begins anew. */
const stableMs = 30_000;

/** Runs one gateway from the first `ensure` on. A gateway that ends is started again, each time after a longer wait. */
export function superviseGateway(
  { options, log, ...scripts }: GatewayStart,
  { isNeeded, onLost, onStart, onMessage }: Hooks,
): SupervisedGateway {
  let gateway: GatewayProcess | null = null;
  let closed = false;
  let backoffMs = firstBackoffMs;
  let restart: NodeJS.Timeout | null = null;

  function start(): void {
    restart = null;
    if (closed || !isNeeded()) return;
    const startedAt = performance.now();
    const onGone = (): void => {
      gateway = null;
      if (performance.now() - startedAt > stableMs) backoffMs = firstBackoffMs;
      restart = setTimeout(() => {
        onLost();
        start();
      }, backoffMs);
      backoffMs = Math.min(backoffMs * 2, mostBackoffMs);
    };
    gateway = startGateway(scripts, options, log, { onMessage, onGone });
    onStart(gateway);
  }

  return {
    current: () => gateway,
    ensure() {
      if (!gateway && !restart) start();
    },
    close(outlives) {
      closed = true;
      if (restart) clearTimeout(restart);
      gateway?.end(outlives);
    },
  };
}
