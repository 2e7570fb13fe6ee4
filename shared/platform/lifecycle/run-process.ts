import type { Log } from "../log.ts";
import { createFaultCount } from "./count-faults.ts";

const echoMs = 1_000;
/** So many errors that nothing had caught may come within a minute. */
const mostFaults = { most: 20, withinMs: 60_000 };

/** See `survive`. */
export type LastNet = {
  /** Resolves when there were too many errors in a short time: the process should leave in order and be started again. */
  broken: Promise<void>;
  /** Errors caught so far. */
  total(): number;
};

/**
 * From its call on, an error that nothing has caught is logged and counted instead of ending the process.
 *
 * Node's advice is to end the process, since its state may be broken. Here that would be worse: such an error nearly always
 * comes of one message, in the handler of one socket or one run, and all other runs of the process would lose an attempt for
 * it; whoever can send such a message could end one process after the other. The run that is concerned gets its end by its
 * deadline or its lease, which ask nothing of the handler that failed. What many messages break, or a state that is broken for
 * good, shows in many errors: then the process leaves in order, and a new one begins afresh.
 */
export type Survive = (log: Log) => LastNet;

/**
 * The frame of every process of ours: one AbortSignal for "end now", whatever says so — SIGTERM, SIGINT, or the parent's
 * death where it was started with an IPC channel. A second signal, a second later or more, ends it at once. `work` resolves when all is closed;
 * the exit code is 0 then, unless it set another one. Until `work` calls `survive`, an error that nothing catches ends the process.
 */
export async function runProcess(work: (signal: AbortSignal, survive: Survive) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  let toldAt = Number.NaN;
  const end = (): void => {
    // One Ctrl-C may come twice: to the terminal's whole group, and once more from npm or timeout(1), who pass it on.
    if (controller.signal.aborted && performance.now() - toldAt > echoMs) process.exit(1);
    if (!controller.signal.aborted) toldAt = performance.now();
    controller.abort();
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  process.on("disconnect", () => controller.abort());
  const onRejection = (reason: unknown): void => {
    process.stderr.write(`${reason instanceof Error ? reason.stack : String(reason)}\n`);
    // A connection that is closed rejects what it asked for by itself: ioredis 6.0, for one, subscribes anew after a reconnect without a catch.
    if (!controller.signal.aborted) process.exit(1);
  };
  process.on("unhandledRejection", onRejection);
  try {
    await work(controller.signal, (log) => {
      process.off("unhandledRejection", onRejection);
      return hangLastNet(log);
    });
    process.exit();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

function hangLastNet(log: Log): LastNet {
  const faults = createFaultCount(mostFaults);
  let giveUp = (): void => undefined;
  const broken = new Promise<void>((resolve) => (giveUp = resolve));
  let isBroken = false;
  const note = (error: unknown, origin: string): void => {
    const tooMany = faults.add(performance.now());
    // The log itself may be what fails.
    if (isBroken) return;
    isBroken = tooMany;
    log.error({ origin, faults: faults.total(), ...describe(error) }, "an error that nothing had caught");
    if (!tooMany) return;
    log.error({ faults: faults.total() }, "too many errors that nothing had caught; this process leaves");
    giveUp();
  };
  process.on("uncaughtException", (error) => note(error, "exception"));
  process.on("unhandledRejection", (reason) => note(reason, "rejection"));
  return { broken, total: () => faults.total() };
}

/** A message may repeat what somebody sent, so not all of it. */
function describe(error: unknown): { err: string; at: string } {
  const frames = error instanceof Error ? (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)) : [];
  return {
    err: String(error).slice(0, 300),
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
