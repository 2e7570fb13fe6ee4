import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedDaemon } from "../../shared/store/daemons/claim-daemons.ts";
import { reportDaemon, type WantedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import { beginWatch, confirmUpgrade, rollBackUpgrade } from "../../shared/store/daemons/watch-upgrade.ts";
import type { WorkerContext } from "../context.ts";
import { createWakeSignal } from "./wake-signal.ts";
import { openDaemonLog } from "./daemon-log.ts";
import { beginLife, type DaemonLife, nextLookMs, seenOf, takesMessages } from "./daemon-life.ts";
import { reportOf } from "./report-daemon.ts";
import { deliverMessage } from "./deliver-message.ts";
import { decideStep, type Step } from "./desired-state.ts";
import { type Mailbox, openMailbox } from "./mailbox.ts";
import { killProcess, startProcess, stopProcess } from "./run-process.ts";

export type Supervisor = {
  /** What is wanted of the daemon may have changed. */
  look(): void;
  /** A message may have come. */
  mail(): void;
  /** Lets the message at hand end for at most `graceMs`, ends the process and gives the daemon away. */
  drain(graceMs: number): Promise<void>;
  /** When the daemon is no longer this worker's. Never rejects. */
  over: Promise<void>;
};

/** A process that doesn't get ready within this has crashed. */
const startMs = 60_000;
const retryMs = 200;

/** `provenAt`: when the lease that we were last granted was asked for. `draining`: this worker goes, within that grace. */
type Watch = { life: DaemonLife; mailbox: Mailbox; provenAt: number; lost: boolean; draining: number | null };

/**
 * Owns a daemon from its claim on: beat by beat it reports what it sees, reads what is wanted and takes the one step that
 * brings the two nearer. It owns the daemon only as long as it can prove it: when the lease can't be renewed in time, by
 * this process' own clock, the daemon's process is killed before another worker may start it.
 */
export function superviseDaemon(ctx: WorkerContext, claimed: ClaimedDaemon): Supervisor {
  const wake = createWakeSignal();
  const times = { stallMs: ctx.config.daemons.stallMs, startMs };
  const life = beginLife({ ctx, claimed, log: openDaemonLog(ctx, claimed), times, wake });
  const mailbox = openMailbox(ctx, {
    daemon: claimed,
    isOpen: () => takesMessages(life),
    adapter: { run: (request, signal) => deliverMessage(life, request, signal) },
    endedByUs: () => life.endedByUs,
  });
  const watch: Watch = { life, mailbox, provenAt: performance.now(), lost: false, draining: null };
  const over = own(watch);
  return {
    look: () => wake.notify(),
    mail: () => mailbox.notify(),
    async drain(graceMs) {
      watch.draining ??= graceMs;
      wake.notify();
      await over;
    },
    over,
  };
}

async function own(watch: Watch): Promise<void> {
  const { life, mailbox } = watch;
  const { ctx, claimed, log, wake } = life;
  const { leaseMs } = ctx.config.worker;
  const guard = setInterval(() => {
    if (performance.now() - watch.provenAt > leaseMs * (5 / 6)) lose(watch);
  }, leaseMs / 12);
  while (!watch.lost) {
    try {
      if (await turn(watch, leaseMs)) break;
      await wake.wait(nextLookMs(life, leaseMs / 3));
    } catch (error) {
      ctx.log.warn({ agent_id: claimed.agent_id, err: String(error) }, "a daemon could not be looked after");
      await sleep(retryMs);
    }
  }
  clearInterval(guard);
  await killProcess(life);
  await mailbox.close();
  await log.close();
}

/** The daemon is somebody else's, or we can't prove that it is ours. */
function lose(watch: Watch): void {
  if (watch.lost) return;
  const { ctx, claimed, live, wake } = watch.life;
  ctx.log.warn({ agent_id: claimed.agent_id, epoch: claimed.epoch }, "a daemon is no longer ours");
  watch.lost = true;
  live?.process.kill();
  wake.notify();
}

/** One beat and one step. True: it is over. */
async function turn(watch: Watch, leaseMs: number): Promise<boolean> {
  const { life, mailbox } = watch;
  const read = await beat(watch, leaseMs);
  if (watch.lost || !read) return true;
  // A worker that goes ends the process as if that were wanted; where the daemon goes on, it isn't.
  life.wanted = watch.draining === null ? read : { ...read, desired: "stopped", grace_ms: watch.draining };
  const step = decideStep(life.wanted, seenOf(life), performance.now(), life.times);
  if (step === "release" || step === "fail") {
    if (step === "fail") life.log.add("daemon", "crashed too often and is given up", "error");
    life.wanted = read;
    // The next owner's epoch fences what comes later.
    await life.log.flush();
    await beat(watch, 0);
    return true;
  }
  if (step !== "wait") {
    await take(life, step, life.wanted);
    life.wake.notify();
  }
  mailbox.notify();
  return false;
}

async function beat(watch: Watch, leaseMs: number): Promise<WantedDaemon | null> {
  const askedAt = performance.now();
  const { ctx, claimed } = watch.life;
  const wanted = await reportDaemon(ctx.db, claimed, reportOf(watch.life), leaseMs);
  if (wanted) watch.provenAt = Math.max(watch.provenAt, askedAt);
  else lose(watch);
  return wanted;
}

type Act = Exclude<Step, "wait" | "release" | "fail">;

async function take(life: DaemonLife, step: Act, wanted: WantedDaemon): Promise<void> {
  const { ctx, claimed, log } = life;
  const { version, previous_version } = wanted;
  switch (step) {
    case "start":
      return startProcess(life, wanted);
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
