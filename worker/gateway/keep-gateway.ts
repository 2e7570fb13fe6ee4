import type { Log } from "../../shared/platform/log.ts";
import type { FromGateway, GatewayOptions } from "../../shared/schemas/gateway.ts";
import { type GatewayProcess, startGateway } from "./start-gateway.ts";

export type GatewayStart = {
  /** Of the gateway's main. */
  script: URL;
  options: GatewayOptions;
  log: Log;
};

type Hooks = {
  /** Whether there is anything for a gateway to do. */
  isNeeded: () => boolean;
  onStart: (gateway: GatewayProcess) => void;
  onMessage: (message: FromGateway) => void;
};

export type KeptGateway = {
  /** Null: there is none now. */
  now(): GatewayProcess | null;
  /** Starts one, unless there is one or its restart is due. */
  need(): void;
  close(): void;
};

const firstBackoffMs = 100;
const mostBackoffMs = 5_000;
/** One that lived this long is started again after the first backoff. */
const settledMs = 30_000;

/** Keeps one gateway at work from the first need: one that ends is started again, later each time. */
export function keepGateway(
  { script, options, log }: GatewayStart,
  { isNeeded, onStart, onMessage }: Hooks,
): KeptGateway {
  let gateway: GatewayProcess | null = null;
  let closed = false;
  let backoffMs = firstBackoffMs;
  let again: NodeJS.Timeout | null = null;

  function start(): void {
    again = null;
    if (closed || !isNeeded()) return;
    const startedAt = performance.now();
    const onGone = (): void => {
      gateway = null;
      if (performance.now() - startedAt > settledMs) backoffMs = firstBackoffMs;
      again = setTimeout(start, backoffMs);
      backoffMs = Math.min(backoffMs * 2, mostBackoffMs);
    };
    gateway = startGateway(script, options, log, { onMessage, onGone });
    onStart(gateway);
  }

  return {
    now: () => gateway,
    need() {
      if (!gateway && !again) start();
    },
    close() {
      closed = true;
      if (again) clearTimeout(again);
      gateway?.end();
    },
  };
}
