import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";

/** Times are milliseconds of one monotonic clock. */
export type ObservedProcess = {
  ready: boolean;
  startedAt: number;
  /** When the process was asked to end; null when it was not. */
  stoppingSince: number | null;
  busy: boolean;
  lastProgressAt: number;
};

/** What a daemon's owner observes. */
export type ObservedDaemon = {
  process: ObservedProcess | null;
  /** The version and the `restart_wanted` that the last process was started for; null when none was started. */
  last: { version: string; restart: number } | null;
  /** Crashes in a row. */
  crashes: number;
  /** When the daemon may start again after a crash; `never` after too many crashes. */
  startAt: number | "never" | null;
};

export type SupervisionTimes = { stallMs: number; startMs: number };

/**
 * True when another version or a restart is wanted since the last start. Earlier crashes then don't count. A version that is
 * being built replaces nothing yet.
 */
export function isReplacementWanted(
  { version, is_built, restart_wanted }: WantedDaemon,
  { last }: ObservedDaemon,
): boolean {
  return is_built && last !== null && (version !== last.version || restart_wanted > last.restart);
}

/** True when the process has a message and has written nothing for too long. */
export function isStalled(
  { busy, lastProgressAt }: ObservedProcess,
  now: number,
  { stallMs }: SupervisionTimes,
): boolean {
  return busy && now - lastProgressAt >= stallMs;
}
