import type { DaemonExit } from "../../shared/schemas/daemon.ts";
import type { Redactor } from "../../shared/secrets/redact.ts";
import type { ClaimedDaemon } from "../../shared/store/daemons/claim-daemons.ts";
import type { DaemonReport, WantedDaemon } from "../../shared/store/daemons/keep-daemon.ts";
import type { WorkerContext } from "../context.ts";
import type { Bell } from "./bell.ts";
import type { DaemonLog } from "./daemon-log.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import { isStalled, type SeenDaemon, type SeenProcess, statusOf, type SupervisionTimes } from "./desired-state.ts";

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
  bell: Bell;
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

export type LifeParts = Pick<DaemonLife, "ctx" | "claimed" | "log" | "times" | "bell">;

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

/** What is told of it. Before the first look at what is wanted it is `starting`. */
export function reportOf(life: DaemonLife): DaemonReport {
  const { live, wanted, times, startAt } = life;
  const now = performance.now();
  return {
    status: wanted ? statusOf(wanted, seenOf(life), now, times) : "starting",
    pid: live?.process.pid ?? null,
    restarts: life.restarts,
    crashes: life.crashes,
    restart_seen: life.last?.restart ?? life.claimed.restart_seen,
    next_start_at: typeof startAt === "number" ? wallClock(startAt) : null,
    last_exit: life.lastExit,
    degraded: live !== null && isStalled(live, now, times),
    last_progress_at: live && wallClock(live.lastProgressAt),
    started_at: live?.startedOn ?? null,
  };
}

const wallClock = (at: number): Date => new Date(Date.now() + at - performance.now());

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
