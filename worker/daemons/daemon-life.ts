import type { DaemonExit } from "../../shared/schemas/daemon.ts";
import type { Redactor } from "../../shared/platform/secrets/redact.ts";
import type { ClaimedDaemon } from "../../shared/store/daemons/claim-daemons.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { WorkerContext } from "../context.ts";
import type { WakeSignal } from "./wake-signal.ts";
import type { DaemonLog } from "./daemon-log.ts";
import type { DaemonProcess } from "./daemon-process.ts";
import type { ObservedDaemon, ObservedProcess, SupervisionTimes } from "./observed-state.ts";

export type LiveProcess = ObservedProcess & {
  process: DaemonProcess;
  version: string;
  startedOn: Date;
  redact: Redactor;
  /** Aborts when the current message is cancelled; null between messages. */
  signal: AbortSignal | null;
};

/** What this worker knows of a daemon that it owns. Only the files of this folder change it. */
export type DaemonLife = {
  ctx: Pick<WorkerContext, "config" | "db" | "log" | "daemonHosts" | "environments">;
  claimed: ClaimedDaemon;
  log: DaemonLog;
  times: SupervisionTimes;
  /** Notified when the daemon must be checked. */
  wake: WakeSignal;
  /** The desired state as it was last read. */
  wanted: WantedDaemon | null;
  live: LiveProcess | null;
  last: ObservedDaemon["last"];
  crashes: number;
  startAt: ObservedDaemon["startAt"];
  restarts: number;
  /** The processes in a row whose program never asked for a message. */
  unreadEnds: number;
  /** The processes in a row whose code could not be loaded. */
  loadFaults: number;
  /** What the last of them said of it. */
  loadFault: string | null;
  lastExit: DaemonExit | null;
  /** True when this worker ended the last process. */
  endedByUs: boolean;
  /** `next`: the state that is to be saved when the one under way is. */
  states: { isSaving: boolean; next: string | null };
  /** Types of frames of no message that were dropped; the log names each once. */
  dropped: Set<string>;
};

type LifeParts = Pick<DaemonLife, "ctx" | "claimed" | "log" | "times" | "wake">;

/** Returns the state of a daemon that was just claimed. The crashes and the backoff under its last owner still count. */
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
    unreadEnds: 0,
    loadFaults: 0,
    loadFault: null,
    lastExit: null,
    endedByUs: false,
    states: { isSaving: false, next: null },
    dropped: new Set(),
  };
}

export const observedOf = ({ live, last, crashes, startAt }: DaemonLife): ObservedDaemon => {
  return { process: live, last, crashes, startAt };
};

/** Returns in how many ms the daemon must be checked when no wake signal comes; at most `atMostMs`. */
export function nextCheckMs({ live, wanted, startAt }: DaemonLife, atMostMs: number): number {
  const now = performance.now();
  const due = [now + atMostMs];
  if (!live && typeof startAt === "number") due.push(startAt);
  if (live?.stoppingSince != null) due.push(live.stoppingSince + (wanted?.grace_ms ?? 0));
  return Math.max(0, Math.min(...due) - now);
}
