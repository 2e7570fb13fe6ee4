import { setFlagsFromString } from "node:v8";
import type { Log } from "../log.ts";
import { createFaultCount } from "./count-faults.ts";
import { errorText } from "../error-text.ts";

const echoMs = 1_000;
/**
 * V8's first compiler is all that our WebAssembly needs: parsers of sources, Prisma's query compiler. Its second one takes
 * 1.4 s of processor time and 250 MB when one agent is published, and what it makes is not faster. What the first flag implies, V8 sets at
 * its start only, so Node 24 needs the others.
 */
const compileWasmOnce = ["--liftoff-only", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];
/** How many uncaught errors a process may have within a minute. */
const mostFaults = { most: 20, withinMs: 60_000 };

/** See `Survive`. */
export type UncaughtErrors = {
  /** Resolves after too many errors in a short time: the process should then leave in order and be started again. */
  broken: Promise<void>;
  /** Returns the number of errors so far. */
  total(): number;
};

/**
 * From its call on, an uncaught error is logged and counted instead of ending the process.
 *
 * Node's advice is to end the process, since its state may be broken. Here that would be worse. Such an error nearly always
 * comes from one message, in the handler of one socket or one run, and all other runs of the process would lose an attempt.
 * An attacker who can send such a message could end one process after another. The affected run is ended by its deadline or
 * its lease, which don't depend on the failed handler. A state that is broken for good shows in many errors: then the process
 * leaves in order, and a new one is started.
 */
export type Survive = (log: Log) => UncaughtErrors;

/**
 * Runs a process of Runfleet's. `signal` aborts at SIGTERM, at SIGINT, at SIGHUP (its terminal was closed), and at the death of a
 * parent that started the process with an IPC channel. A signal that comes a second later or more ends the process at once.
 * `work` resolves when all is closed; the exit code is then 0, unless `work` set another one. Until `work` calls `survive`, an
 * uncaught error ends the process.
 */
export async function runProcess(work: (signal: AbortSignal, survive: Survive) => Promise<void>): Promise<void> {
  for (const flag of compileWasmOnce) setFlagsFromString(flag);
  const controller = new AbortController();
  let abortedAt = Number.NaN;
  const begin = (): void => {
    if (!controller.signal.aborted) abortedAt = performance.now();
    controller.abort();
  };
  const end = (): void => {
    // One Ctrl-C may come twice: from the terminal, to the whole process group, and from npm or timeout(1), which pass it on.
    if (performance.now() - abortedAt > echoMs) process.exit(1);
    begin();
  };
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(name, end);
  process.on("disconnect", begin);
  // The parent died while this process was loading. Undefined without a channel.
  if ((process.connected as boolean | undefined) === false) begin();
  const onRejection = (reason: unknown): void => {
    process.stderr.write(`${errorText(reason)}\n${reason instanceof Error ? reason.stack : ""}\n`);
    // Closing a connection may reject a promise that nobody can catch: ioredis 6.0 subscribes again after a reconnect without a catch.
    if (!controller.signal.aborted) process.exit(1);
  };
  process.on("unhandledRejection", onRejection);
  try {
    await work(controller.signal, (log) => {
      process.off("unhandledRejection", onRejection);
      return surviveErrors(log);
    });
    process.exit();
  } catch (error) {
    process.stderr.write(`${errorText(error)}\n`);
    process.exit(1);
  }
}

function surviveErrors(log: Log): UncaughtErrors {
  const faults = createFaultCount(mostFaults);
  let giveUp = (): void => undefined;
  const broken = new Promise<void>((resolve) => (giveUp = resolve));
  let isBroken = false;
  const note = (error: unknown, origin: string): void => {
    const tooMany = faults.add(performance.now());
    // Logging itself may be what fails.
    if (isBroken) return;
    isBroken = tooMany;
    log.error({ origin, faults: faults.total(), ...describe(error) }, "an uncaught error");
    if (!tooMany) return;
    log.error({ faults: faults.total() }, "too many uncaught errors; this process ends");
    giveUp();
  };
  process.on("uncaughtException", (error) => note(error, "exception"));
  process.on("unhandledRejection", (reason) => note(reason, "rejection"));
  return { broken, total: () => faults.total() };
}

/** Only a part of the message is logged, since it may repeat what somebody sent. */
function describe(error: unknown): { err: string; at: string } {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return {
    err: errorText(error).slice(0, 300),
    at: frames
      .slice(0, 8)
      .map((line) => line.trim())
      .join("; "),
  };
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
