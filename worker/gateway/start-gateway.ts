import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Log } from "../../shared/platform/log.ts";
import { fromGateway, type FromGateway, type GatewayOptions, type ToGateway } from "../../shared/schemas/gateway.ts";
import type { ListeningSocket } from "./egress.ts";

export type GatewayProcess = {
  pid: number | undefined;
  /** Lost when the process is gone, or goes meanwhile. The socket stays open here. */
  tell(message: ToGateway, socket?: ListeningSocket): void;
  end(): void;
};

type Hooks = { onMessage: (message: FromGateway) => void; onGone: () => void };

const pingMs = 2_000;
/** A gateway that answers none of so many pings hangs. Counted, not timed: a worker that was frozen has only itself to blame. */
const pingsInVain = 8;
/** Look-ups of names take a thread each for as long as they take, and only half of the threads (libuv, `UV__WORK_SLOW_IO`). */
const threads = 64;

/**
 * Starts the gateway's process. It gets what it needs to know on its command line and nothing of this process's environment,
 * where the secrets are. It ends when this process does.
 */
export function startGateway(
  script: URL,
  options: GatewayOptions,
  log: Log,
  { onMessage, onGone }: Hooks,
): GatewayProcess {
  const child = fork(fileURLToPath(script), [JSON.stringify(options)], {
    env: { UV_THREADPOOL_SIZE: String(threads) },
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let unanswered = 0;
  const pings = setInterval(() => {
    if (unanswered >= pingsInVain) {
      log.error({ gateway_pid: child.pid, pings: unanswered }, "the gateway hangs; it is ended");
      child.kill("SIGKILL");
    }
    unanswered += 1;
    tellChild(child, { kind: "ping" });
  }, pingMs);
  pings.unref();
  let told = false;
  const gone = (how: object): void => {
    if (told) return;
    told = true;
    clearInterval(pings);
    log.warn({ gateway_pid: child.pid, ...how }, "the gateway ended");
    onGone();
  };
  child.on("message", (text) => {
    const parsed = fromGateway.safeParse(text);
    if (!parsed.success) return;
    if (parsed.data.kind === "pong") unanswered = 0;
    onMessage(parsed.data);
  });
  child.on("exit", (code, signal) => gone({ code, signal }));
  child.on("error", (error) => (child.pid === undefined ? gone({ err: error.message }) : undefined));
  return {
    pid: child.pid,
    tell: (message, socket) => tellChild(child, message, socket),
    end() {
      told = true;
      clearInterval(pings);
      if (child.connected) child.disconnect();
      setTimeout(() => child.kill("SIGKILL"), 1_000).unref();
    },
  };
}

function tellChild(child: ChildProcess, message: ToGateway, socket?: ListeningSocket): void {
  if (!child.connected) return;
  // A native handle is duplicated and stays open here (net.Native in Node's internal/child_process.js, as cluster uses it).
  child.send(message, socket as Parameters<ChildProcess["send"]>[1], {}, () => undefined);
}
