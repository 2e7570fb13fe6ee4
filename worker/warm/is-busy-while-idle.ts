/** How much CPU time code may take while it has no run. What an interpreter does by itself is far below. */
const allowedMs = { atOnce: 250, perSecond: 10 };

/** True when a process that was idle for `idleMs` took more CPU time meanwhile than waiting costs. */
export const isBusyWhileIdle = (cpu_ms: number, idleMs: number): boolean =>
  cpu_ms > allowedMs.atOnce + (allowedMs.perSecond * idleMs) / 1_000;
