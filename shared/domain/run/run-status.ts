export const runStatuses = [
  "scheduled",
  "queued",
  "running",
  "interrupted",
  "success",
  "error",
  "timeout",
  "cancelled",
  "expired",
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Absorbing: a run that is in one of these never changes again. */
export const terminalStatuses = ["success", "error", "timeout", "cancelled", "expired"] as const;
export type TerminalStatus = (typeof terminalStatuses)[number];

export function isTerminal(status: string): status is TerminalStatus {
  return (terminalStatuses as readonly string[]).includes(status);
}

/** Whether an event of this type is its run's last. */
export function isTerminalEvent(type: string): boolean {
  return isTerminal(type.replace("run.", ""));
}
