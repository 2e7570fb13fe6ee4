/** What code may take while it has no run: what an interpreter does by itself is far below it. */
const allowedMs = { atOnce: 250, perSecond: 10 };

/** Whether a process that has been idle for so long took more processor time meanwhile than waiting costs. Milliseconds. */
export const isBusyWhileIdle = (cpu_ms: number, idleMs: number): boolean =>
  cpu_ms > allowedMs.atOnce + (allowedMs.perSecond * idleMs) / 1_000;
