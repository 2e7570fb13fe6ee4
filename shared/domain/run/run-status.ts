export const runStatuses = [
  "scheduled",
  "queued",
  "running",
  "interrupted",
  "suspended",
  "success",
  "error",
  "timeout",
  "cancelled",
  "expired",
] as const;
export type RunStatus = (typeof runStatuses)[number];

/** A run with one of these statuses never changes again. */
export const terminalStatuses = ["success", "error", "timeout", "cancelled", "expired"] as const;
export type TerminalStatus = (typeof terminalStatuses)[number];

export function isTerminal(status: string): status is TerminalStatus {
  return (terminalStatuses as readonly string[]).includes(status);
}

/** True when an event of this type is the last one of its run. */
export function isTerminalEvent(type: string): boolean {
  return isTerminal(type.replace("run.", ""));
}
