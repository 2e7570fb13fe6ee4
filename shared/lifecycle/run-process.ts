/**
 * The frame of every process of ours: one AbortSignal for "end now", whatever says so — SIGTERM, SIGINT, or the parent's
 * death where it was started with an IPC channel. A second signal ends it at once. `work` resolves when all is closed.
 */
export async function runProcess(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController();
  const end = (): void => {
    if (controller.signal.aborted) process.exit(1);
    controller.abort();
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  process.on("disconnect", () => controller.abort());
  try {
    await work(controller.signal);
    process.exit(0);
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
