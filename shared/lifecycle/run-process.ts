const echoMs = 1_000;

/**
 * The frame of every process of ours: one AbortSignal for "end now", whatever says so — SIGTERM, SIGINT, or the parent's
 * death where it was started with an IPC channel. A second signal, a second later or more, ends it at once. `work` resolves when all is closed;
 * the exit code is 0 then, unless it set another one.
 */
export async function runProcess(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
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
  process.on("unhandledRejection", (reason) => {
    process.stderr.write(`${reason instanceof Error ? reason.stack : String(reason)}\n`);
    // A connection that is closed rejects what it asked for by itself: ioredis 6.0, for one, subscribes anew after a reconnect without a catch.
    if (!controller.signal.aborted) process.exit(1);
  });
  try {
    await work(controller.signal);
    process.exit();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
}

/** Resolves when `signal` aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
