import { createRedactor, type Redactor } from "../../shared/platform/secrets/redact.ts";
import type { WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { SandboxExit } from "../sandbox/process.ts";
import { backoffMs, countCrash } from "./crash-backoff.ts";
import { type DaemonLife, type LiveProcess, observedOf } from "./daemon-life.ts";
import { type DaemonEvents, openDaemonProcess } from "./daemon-process.ts";
import { isReplacementWanted } from "./observed-state.ts";
import { handleDaemonFrame } from "./handle-daemon-frame.ts";
import { errorLineOf } from "./refuse-messages.ts";
import { startDaemon } from "./start-daemon.ts";
import { WorkerFault } from "../worker-fault.ts";
import { errorText } from "../../shared/platform/error-text.ts";

/** What a replaced version's processes did counts no more. */
const forgotten = { crashes: 0, restarts: 0, unreadEnds: 0, loadFaults: 0, loadFault: null };

/** A daemon that its worker can't start for now is started again after this. */
const unableMs = 60_000;

/**
 * Starts the process of the wanted version. A process that can't be started counts as a crash, unless `signal` stopped it, or
 * the fault is the worker's and passes.
 */
export async function startProcess(life: DaemonLife, wanted: WantedDaemon, signal: AbortSignal): Promise<void> {
  if (isReplacementWanted(wanted, observedOf(life))) Object.assign(life, forgotten);
  else if (life.last) life.restarts += 1;
  life.last = { version: wanted.version, restart: wanted.restart_wanted };
  life.startAt = null;
  try {
    const { child, secrets } = await startDaemon(life.ctx, life.claimed, wanted, {
      signal,
      onLine: (line) => life.log.add("daemon", line),
    });
    const redact = createRedactor(secrets);
    const startedAt = performance.now();
    const state = {
      ready: false,
      startedAt,
      stoppingSince: null,
      busy: false,
      lastProgressAt: startedAt,
      signal: null,
    };
    const live: LiveProcess = {
      ...state,
      version: wanted.version,
      startedOn: new Date(),
      redact,
      process: openDaemonProcess(
        child,
        eventsOf(life, redact, () => live),
      ),
    };
    life.live = live;
    life.log.add("daemon", `started as process ${child.pid}, version ${wanted.version}`);
    void live.process.exited.then((exit) => noteExit(life, live, exit));
    // The sandbox may have been made while the start was stopped.
    if (signal.aborted) stopProcess(life);
  } catch (error) {
    if (signal.aborted) return;
    const end = { code: null, signal: null, reason: errorText(error) };
    if (error instanceof WorkerFault) noteUnable(life, end);
    else noteCrash(life, 0, end);
  }
}

function eventsOf(life: DaemonLife, redact: Redactor, live: () => LiveProcess): DaemonEvents {
  return {
    onReady() {
      live().ready = true;
      Object.assign(life, { loadFaults: 0, loadFault: null });
      life.wake.notify();
    },
    onAlive() {
      if (life.live) life.live.lastProgressAt = performance.now();
    },
    onOwn(frame) {
      const clean = redact.frame(frame);
      if (clean.type === "log" && clean.level === "error" && !live().ready) life.loadFault = clean.message;
      handleDaemonFrame(life, clean);
    },
    onPrint(stream, text) {
      life.log.add(stream, redact.text(text));
      return null;
    },
  };
}

/** Asks the process to end after its current message. */
export function stopProcess({ live }: DaemonLife): void {
  if (!live) return;
  live.stoppingSince = performance.now();
  if (!live.busy) live.process.stop();
}

/** Kills the process, if there is one. Resolves when it is gone. */
export async function killProcess({ live }: DaemonLife): Promise<void> {
  live?.process.kill();
  await live?.process.exited;
}

type ProcessEnd = { code: number | null; signal: string | null; reason: string | null };

/** The largest number of characters of a reason, which every report of the daemon writes. Its log has all of it. */
const reasonLength = 2_000;

/** Agents say why they can't be loaded. Postgres takes neither a zero nor half of a surrogate pair for text. */
const storable = (reason: string): string => reason.slice(0, reasonLength).replaceAll(/\0|\p{Surrogate}/gu, "\ufffd");

function noteExit(life: DaemonLife, live: LiveProcess, { code, signal, limit }: SandboxExit): void {
  life.live = null;
  life.unreadEnds = live.process.unread() ? life.unreadEnds + 1 : 0;
  const ignoredCancel = live.signal?.aborted === true;
  life.endedByUs = live.stoppingSince !== null || ignoredCancel;
  if (!life.endedByUs) {
    const why = life.loadFault === null ? "" : `: ${errorLineOf(life.loadFault)}`;
    const unready = live.ready ? null : `it was not ready${why}`;
    if (!live.ready) life.loadFaults += 1;
    // Loading counts for nothing, however long it takes: code that raises at its end must come to be failed.
    const upMs = live.ready ? performance.now() - live.startedAt : 0;
    return noteCrash(life, upMs, { code, signal, reason: limit ? `${limit}_limit` : unready });
  }
  const reason = ignoredCancel ? "a cancelled message did not end" : "stopped";
  life.lastExit = { code, signal, reason, at: new Date().toISOString() };
  life.log.add("daemon", `ended (${signal ?? `code ${code}`}): ${reason}`);
  life.wake.notify();
}

function noteUnable(life: DaemonLife, how: ProcessEnd): void {
  life.startAt = performance.now() + unableMs;
  life.lastExit = { ...how, at: new Date().toISOString() };
  life.log.add("daemon", `not started: ${how.reason}`, "error");
  life.wake.notify();
}

function noteCrash(life: DaemonLife, upMs: number, how: ProcessEnd): void {
  const { backoffScale } = life.ctx.config.daemons;
  life.endedByUs = false;
  life.crashes = countCrash(life.crashes, upMs, backoffScale);
  const delay = backoffMs(life.crashes, backoffScale);
  life.startAt = delay === null ? "never" : performance.now() + delay;
  const reason = how.reason === null ? null : storable(how.reason);
  life.lastExit = { ...how, reason, at: new Date().toISOString() };
  const status = how.signal ?? (how.code === null ? "not started" : `code ${how.code}`);
  life.log.add("daemon", `crashed (${status})${how.reason === null ? "" : `: ${how.reason}`}`, "error");
  life.wake.notify();
}
