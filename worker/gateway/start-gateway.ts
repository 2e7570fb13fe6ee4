import { type ChildProcess, fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { Log } from "../../shared/platform/log.ts";
import { fromGateway, type FromGateway, type GatewayOptions, type ToGateway } from "../../shared/schemas/gateway.ts";
import type { ListeningSocket } from "./egress.ts";
import { startKeeper } from "./start-keeper.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type GatewayProcess = {
  pid: number | undefined;
  /** Sends a message, which is lost when the process ends. The socket stays open here. */
  send(message: ToGateway, socket?: ListeningSocket): void;
  /** Ends it at once; with `outlives`, when it has read the answers to its open calls. */
  end(outlives: boolean): void;
};

export type GatewayScripts = {
  /** The gateway's main file, and its keeper's. */
  script: URL;
  keeper: URL;
};

type Hooks = { onMessage: (message: FromGateway) => void; onGone: () => void };

const pingMs = 2_000;
/** A gateway hangs when this many pings in a row have no answer. Pings are counted, so that a frozen worker does not end it. */
const mostUnanswered = 8;
/** Each look-up of a name occupies a thread, and look-ups get at most half of the threads (libuv, `UV__WORK_SLOW_IO`). */
const threads = 64;

/**
 * Starts the gateway's process. It gets its options on the command line, and nothing of this process's environment, where the
 * secrets are. When this process dies the gateway hands what it still reads to its keeper, and ends.
 */
export function startGateway(
  { script, keeper }: GatewayScripts,
  options: GatewayOptions,
  log: Log,
  { onMessage, onGone }: Hooks,
): GatewayProcess {
  const child = fork(fileURLToPath(script), [JSON.stringify(options)], {
    env: { UV_THREADPOOL_SIZE: String(threads) },
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc", "pipe"],
    detached: true,
  });
  // A gateway that could not be started has none.
  const keeping = child.stdio[4] ? startKeeper(keeper, child.stdio[4] as Socket) : null;
  let unanswered = 0;
  const pings = setInterval(() => {
    if (unanswered >= mostUnanswered) {
      log.error({ gateway_pid: child.pid, pings: unanswered }, "the gateway hangs and is killed");
      child.kill("SIGKILL");
    }
    unanswered += 1;
    sendTo(child, { kind: "ping" });
  }, pingMs);
  pings.unref();
  let ended = false;
  const onEnd = (how: object): void => {
    if (ended) return;
    ended = true;
    clearInterval(pings);
    keeping?.dismiss();
    log.warn({ gateway_pid: child.pid, ...how }, "the gateway ended");
    onGone();
  };
  child.on("message", (text) => {
    const parsed = fromGateway.safeParse(text);
    if (!parsed.success) return;
    if (parsed.data.kind === "pong") unanswered = 0;
    onMessage(parsed.data);
  });
  child.on("exit", (code, signal) => onEnd({ code, signal }));
  child.on("error", (error) => (child.pid === undefined ? onEnd({ err: errorText(error) }) : undefined));
  return {
    pid: child.pid,
    send: (message, socket) => sendTo(child, message, socket),
    end(outlives) {
      ended = true;
      clearInterval(pings);
      if (!outlives) keeping?.dismiss();
      if (child.connected) child.disconnect();
      if (!outlives) setTimeout(() => child.kill("SIGKILL"), 1_000).unref();
      child.unref();
    },
  };
}

function sendTo(child: ChildProcess, message: ToGateway, socket?: ListeningSocket): void {
  if (!child.connected) return;
  // The child gets a duplicate of the native handle (net.Native in Node's internal/child_process.js, as cluster uses it).
  child.send(message, socket as Parameters<ChildProcess["send"]>[1], {}, () => undefined);
}
