import type { DaemonExit } from "../../shared/schemas/daemon.ts";
import type { Redactor } from "../../shared/platform/secrets/redact.ts";
import type { ClaimedDaemon } from "../../shared/store/daemons/claim-daemons.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { WorkerContext } from "../context.ts";
import type { WakeSignal } from "./wake-signal.ts";
import type { DaemonLog } from "./daemon-log.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import type { SeenDaemon, SeenProcess, SupervisionTimes } from "./seen-daemon.ts";

export type LiveProcess = SeenProcess & {
  process: DaemonProcess;
  version: string;
  startedOn: Date;
  redact: Redactor;
  /** Of the message at hand. */
  signal: AbortSignal | null;
};

/** All that one owner of a daemon knows of it. Its functions are in the files beside this one; nobody else changes it. */
export type DaemonLife = {
  ctx: WorkerContext;
  claimed: ClaimedDaemon;
  log: DaemonLog;
  times: SupervisionTimes;
  /** Rung when there is something to look at. */
  wake: WakeSignal;
  /** As it was last read. */
  wanted: WantedDaemon | null;
  live: LiveProcess | null;
  last: SeenDaemon["last"];
  crashes: number;
  startAt: SeenDaemon["startAt"];
  restarts: number;
  lastExit: DaemonExit | null;
  /** Whether the last process ended because we wanted it to. */
  endedByUs: boolean;
};

type LifeParts = Pick<DaemonLife, "ctx" | "claimed" | "log" | "times" | "wake">;

/** A daemon as it was claimed: the crashes and the backoff of the owner before count on. */
export function beginLife(parts: LifeParts): DaemonLife {
  const { version, restart_seen, taken_over, crashes, restarts, backoff_ms } = parts.claimed;
  return {
    ...parts,
    wanted: null,
    live: null,
    last: taken_over ? { version, restart: restart_seen } : null,
    crashes,
    startAt: backoff_ms === null ? null : performance.now() + backoff_ms,
    restarts,
    lastExit: null,
    endedByUs: false,
  };
}

export const seenOf = ({ live, last, crashes, startAt }: DaemonLife): SeenDaemon => {
  return { process: live, last, crashes, startAt };
};

/** Whether it takes a message now. A paused daemon's process goes on; its mailbox is held. */
export function takesMessages({ live, wanted }: DaemonLife): boolean {
  return live !== null && live.ready && live.stoppingSince === null && wanted?.desired === "running";
}

/** When there is something to decide without anybody ringing, in milliseconds; at most `atMostMs`. */
export function nextLookMs({ live, wanted, startAt }: DaemonLife, atMostMs: number): number {
  const now = performance.now();
  const due = [now + atMostMs];
  if (!live && typeof startAt === "number") due.push(startAt);
  if (live?.stoppingSince != null) due.push(live.stoppingSince + (wanted?.grace_ms ?? 0));
  return Math.max(0, Math.min(...due) - now);
}
