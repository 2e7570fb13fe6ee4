import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";

/** Times are milliseconds of one monotonic clock. */
export type SeenProcess = {
  ready: boolean;
  startedAt: number;
  /** Since when it is asked to end; null: it is not. */
  stoppingSince: number | null;
  busy: boolean;
  lastProgressAt: number;
};

/** What a supervisor knows of its daemon. */
export type SeenDaemon = {
  process: SeenProcess | null;
  /** The version and the `restart_wanted` that the last process was started for; null: none was. */
  last: { version: string; restart: number } | null;
  /** In a row. */
  crashes: number;
  /** When it may start again after a crash. `never`: it crashed too often. */
  startAt: number | "never" | null;
};

export type SupervisionTimes = { stallMs: number; startMs: number };

/** Whether somebody asked for another process than the last one, which also forgives its crashes. */
export function isAskedAnew({ version, restart_wanted }: WantedDaemon, { last }: SeenDaemon): boolean {
  return last !== null && (version !== last.version || restart_wanted > last.restart);
}

/** Health by progress: at work on a message, and nothing heard of it for too long. */
export function isStalled({ busy, lastProgressAt }: SeenProcess, now: number, { stallMs }: SupervisionTimes): boolean {
  return busy && now - lastProgressAt >= stallMs;
}
