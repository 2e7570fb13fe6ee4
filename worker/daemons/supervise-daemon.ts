import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedDaemon } from "../../shared/store/daemons/claim-daemons.ts";
import { reportDaemon, type WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import { beginWatch, confirmUpgrade, rollBackUpgrade } from "../../shared/store/daemons/watch-upgrade.ts";
import { createWakeSignal } from "./wake-signal.ts";
import { openDaemonLog } from "./daemon-log.ts";
import { beginLife, type DaemonLife, nextCheckMs, observedOf } from "./daemon-life.ts";
import { unreadErrorOf } from "./refuse-messages.ts";
import { reportOf } from "./report-daemon.ts";
import { deliverMessage, takesMessages } from "./deliver-message.ts";
import { decideStep, type Step } from "./desired-state.ts";
import { type Mailbox, type MailboxDeps, openMailbox } from "./mailbox.ts";
import { killProcess, startProcess, stopProcess } from "./control-process.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type SupervisorDeps = DaemonLife["ctx"] & MailboxDeps;

export type Supervisor = {
  /** To be called when the daemon's desired state may have changed. */
  check(): void;
  /** To be called when a message may have come. */
  checkMailbox(): void;
  /** Gives the current message `graceMs` to end, ends the process and gives up the daemon. */
  drain(graceMs: number): Promise<void>;
  /** Resolves when the daemon is no longer this worker's. Never rejects. */
  over: Promise<void>;
};

/** A process that is not ready after this time is killed, as a crash. */
const startMs = 60_000;
const retryMs = 200;

/**
 * `provenAt`: when the renewal that last succeeded was asked for, by performance.now(). `draining`: how many ms the daemon
 * has left before this worker leaves; null when the worker stays. `starting`: ends the start of a process that is under way.
 */
type Supervision = {
  life: DaemonLife;
  mailbox: Mailbox;
  provenAt: number;
  lost: boolean;
  draining: number | null;
  starting: AbortController | null;
};

/**
 * Supervises a claimed daemon: again and again it reports the observed state, reads the desired state and takes the one step
 * that brings the two nearer. When the lease can't be renewed in time, by this process's own clock, the daemon's process is
 * killed before another worker may start it.
 */
export function superviseDaemon(ctx: SupervisorDeps, claimed: ClaimedDaemon): Supervisor {
  const wake = createWakeSignal();
  const times = { stallMs: ctx.config.daemons.stallMs, startMs };
  const life = beginLife({ ctx, claimed, log: openDaemonLog(ctx, claimed), times, wake });
  const mailbox = openMailbox(ctx, {
    daemon: claimed,
    isOpen: () => takesMessages(life),
    adapter: { run: (request, signal) => deliverMessage(life, request, signal) },
    endedByUs: () => life.endedByUs,
    unreadError: () => unreadErrorOf(life),
  });
  const known = { provenAt: performance.now(), lost: false, draining: null, starting: null };
  const supervision: Supervision = { life, mailbox, ...known };
  const over = supervise(supervision);
  return {
    check: () => wake.notify(),
    checkMailbox: () => mailbox.notify(),
    async drain(graceMs) {
      // A kill may follow on a drain.
      supervision.draining = Math.min(supervision.draining ?? graceMs, graceMs);
      supervision.starting?.abort();
      wake.notify();
      await over;
    },
    over,
  };
}

async function supervise(supervision: Supervision): Promise<void> {
  const { life, mailbox } = supervision;
  const { ctx, claimed, log, wake } = life;
  const { leaseMs } = ctx.config.worker;
  const guard = setInterval(() => {
    if (performance.now() - supervision.provenAt > leaseMs * (5 / 6)) lose(supervision);
  }, leaseMs / 12);
  while (!supervision.lost) {
    try {
      if (await superviseOnce(supervision, leaseMs)) break;
      await wake.wait(nextCheckMs(life, leaseMs / 3));
    } catch (error) {
      ctx.log.warn({ agent_id: claimed.agent_id, err: errorText(error) }, "a daemon could not be supervised");
      await sleep(retryMs);
    }
  }
  clearInterval(guard);
  await killProcess(life);
  await mailbox.close();
  await log.close();
}

/** The daemon is another worker's, or this worker can't prove that it owns the daemon. */
function lose(supervision: Supervision): void {
  if (supervision.lost) return;
  const { ctx, claimed, live, wake } = supervision.life;
  ctx.log.warn({ agent_id: claimed.agent_id, epoch: claimed.epoch }, "a daemon is no longer this worker's");
  supervision.lost = true;
  live?.process.kill();
  // The start may wait for a renewal that is never answered.
  supervision.starting?.abort();
  wake.notify();
}

/** Renews the lease and takes one step. Returns true when this worker no longer supervises the daemon. */
async function superviseOnce(supervision: Supervision, leaseMs: number): Promise<boolean> {
  const { life, mailbox } = supervision;
  const read = await renew(supervision, leaseMs);
  if (supervision.lost || !read) return true;
  // A draining worker stops the process as if that were desired. The stored desired state is reported again before release.
  life.wanted = supervision.draining === null ? read : { ...read, desired: "stopped", grace_ms: supervision.draining };
  const step = decideStep(life.wanted, observedOf(life), performance.now(), life.times);
  if (step === "release" || step === "fail") {
    if (step === "fail") life.log.add("daemon", "crashed too often: the daemon has failed", "error");
    life.wanted = read;
    // The next owner's epoch fences log lines that come later.
    await life.log.flush();
    await renew(supervision, 0);
    return true;
  }
  if (step === "start") await start(supervision, leaseMs, life.wanted);
  else if (step !== "wait") await perform(life, step, life.wanted);
  if (step !== "wait") life.wake.notify();
  mailbox.notify();
  return false;
}

/** Starts the process. Its packages may have to be installed first: the lease is renewed meanwhile, and a stop ends that. */
async function start(supervision: Supervision, leaseMs: number, wanted: WantedDaemon): Promise<void> {
  const { life } = supervision;
  const stop = new AbortController();
  supervision.starting = stop;
  let isOver = false;
  const started = startProcess(life, wanted, stop.signal).finally(() => {
    isOver = true;
    supervision.starting = null;
    life.wake.notify();
  });
  for (;;) {
    await life.wake.wait(leaseMs / 3);
    if (isOver) return started;
    const now = await renew(supervision, leaseMs).catch(() => wanted);
    const isReplaced = now !== null && now.is_built && now.version !== wanted.version;
    const isWanted = now !== null && now.desired !== "stopped" && !isReplaced;
    if (!isWanted || supervision.lost || supervision.draining !== null) stop.abort();
  }
}

/** Reports the observed state, renews the lease and returns the desired state; null when the daemon is another worker's. */
async function renew(supervision: Supervision, leaseMs: number): Promise<WantedDaemon | null> {
  const askedAt = performance.now();
  const { ctx, claimed } = supervision.life;
  const wanted = await reportDaemon(ctx.db, claimed, reportOf(supervision.life), leaseMs);
  if (wanted) supervision.provenAt = Math.max(supervision.provenAt, askedAt);
  else lose(supervision);
  return wanted;
}

type Act = Exclude<Step, "wait" | "start" | "release" | "fail">;

async function perform(life: DaemonLife, step: Act, wanted: WantedDaemon): Promise<void> {
  const { ctx, claimed, log } = life;
  const { version, previous_version } = wanted;
  switch (step) {
    case "stop":
      return stopProcess(life);
    case "kill":
      return killProcess(life);
    case "watch":
      return beginWatch(ctx.db, claimed, ctx.config.daemons.watchMs);
    case "confirm":
      log.add("daemon", `version ${version} is healthy: the upgrade stands`);
      return confirmUpgrade(ctx.db, claimed, version);
    case "roll_back":
      log.add("daemon", `version ${version} isn't healthy: back to ${previous_version}`, "error");
      return rollBackUpgrade(ctx.db, claimed, version);
  }
}
