import { setTimeout as sleep } from "node:timers/promises";
import { giveUpRun } from "../../shared/services/runs/give-up-run.ts";
import { loseRun } from "../../shared/store/runs/moves/lose-run.ts";
import { nextMessage } from "../../shared/store/runs/queue/find-queued-runs.ts";
import { giveBackRun } from "../../shared/store/runs/moves/give-back-run.ts";
import { untilPostgresAnswers } from "../../shared/store/until-postgres-answers.ts";
import type { RunError } from "../../shared/schemas/run-event.ts";
import type { OwnedDaemon } from "../../shared/store/daemons/report-daemon.ts";
import type { HeldRun } from "../../shared/store/runs/moves/renew-leases.ts";
import type { Adapter } from "../adapters/adapter.ts";
import { type ExecuteDeps, executeRun } from "../attempt/execute-run.ts";
import { loseAttempt, type LoseDeps } from "../attempt/lose-attempt.ts";
import { createWakeSignal } from "./wake-signal.ts";
import { DaemonLost } from "./daemon-process.ts";
import { errorText } from "../../shared/platform/error-text.ts";

export type Mailbox = {
  /** To be called when a message came, or the daemon takes messages again. */
  notify(): void;
  /** Takes no further message. Resolves when none is under way. */
  close(): Promise<void>;
};

export type MailboxDeps = Omit<ExecuteDeps, "adapterFor" | "onFault"> & LoseDeps;

export type MailboxOptions = {
  daemon: OwnedDaemon;
  /** True when the daemon takes a message now. */
  isOpen(): boolean;
  /** Runs one message in the daemon's process; may throw `DaemonLost`. */
  adapter: Adapter;
  /** True when this worker ended the process that was lost last. Its message then waits again, uncharged. */
  endedByUs(): boolean;
  /** The error of a message that the process that was lost last never asked for; else null. */
  unreadError(): RunError | null;
};

/** A message whose nudge was lost is found after this. */
const pollMs = 500;
/** How long to wait before the same message is tried again. */
const againMs = 100;

/**
 * Takes an agent's runs of lifecycle `daemon` in order, one at a time, while its daemon is running. Each is claimed, executed
 * and finalized as any run is: none is lost and none ends twice, whatever dies on the way.
 */
export function openMailbox(ctx: MailboxDeps, options: MailboxOptions): Mailbox {
  const { daemon, adapter } = options;
  const wake = createWakeSignal();
  let closed = false;
  const card = { ...ctx.card, daemon_epoch: daemon.epoch };
  const deps: ExecuteDeps = { ...ctx, card, adapterFor: () => adapter, onFault: settle };

  async function takeNext(before: string | null): Promise<string | null> {
    const runId = options.isOpen() ? await nextMessage(ctx.db, daemon.agent_id) : null;
    if (runId === null) {
      await wake.wait(pollMs);
      return null;
    }
    if (runId === before) await sleep(againMs);
    await executeRun(deps, runId);
    return runId;
  }
  /** What becomes of a message whose process ended. */
  async function settle(run: HeldRun, fault: unknown): Promise<void> {
    if (!(fault instanceof DaemonLost)) return loseAttempt(ctx, run, fault);
    // An attempt is charged only when a process was sent the message, and ended by itself.
    if (fault.exit === null || options.endedByUs())
      await untilPostgresAnswers(() => giveBackRun(ctx.db, run, "daemon_stopped"));
    else await chargeMessage(ctx, run, options.unreadError() ?? crashOf(fault));
  }
  async function work(): Promise<void> {
    let last: string | null = null;
    while (!closed) {
      try {
        last = await takeNext(last);
      } catch (error) {
        ctx.log.warn(
          { agent_id: daemon.agent_id, err: errorText(error) },
          "a daemon's next message could not be taken",
        );
        await sleep(againMs);
      }
    }
  }
  const working = work();

  return {
    notify: () => wake.notify(),
    async close() {
      closed = true;
      wake.notify();
      await working;
    },
  };
}

/** The process ended during a message: the rule for lost attempts decides whether the message is tried again. */
async function chargeMessage(ctx: LoseDeps, run: HeldRun, error: RunError): Promise<void> {
  const lost = await loseRun(ctx.db, run, "daemon_crashed");
  if (!lost || lost.outcome === "requeued") return;
  await giveUpRun(ctx, { ...lost, outcome: lost.outcome }, error);
}

function crashOf({ message, exit }: DaemonLost): RunError {
  const code = exit?.limit ? `${exit.limit}_limit` : "daemon_crashed";
  return { code, type: null, message, traceback: null };
}
