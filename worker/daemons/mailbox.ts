import { setTimeout as sleep } from "node:timers/promises";
import { endRun } from "../../shared/services/runs/end-run.ts";
import { loseRun } from "../../shared/store/runs/lose-run.ts";
import { nextMessage } from "../../shared/store/runs/next-message.ts";
import { giveBackRun } from "../../shared/store/runs/requeue-run.ts";
import type { OwnedDaemon } from "../../shared/store/daemons/keep-daemon.ts";
import type { HeldRun } from "../../shared/store/runs/renew-leases.ts";
import type { Adapter } from "../adapters/adapter.ts";
import type { WorkerContext } from "../context.ts";
import { executeRun } from "../attempt/execute-run.ts";
import { loseAttempt } from "../attempt/lose-attempt.ts";
import { createBell } from "./wake-signal.ts";
import { DaemonLost } from "./daemon-process.ts";

export type Mailbox = {
  /** Something may have changed: a message came, or the daemon takes messages again. */
  ring(): void;
  /** Takes no further message. Resolves when none is under way. */
  close(): Promise<void>;
};

export type MailboxOptions = {
  daemon: OwnedDaemon;
  /** Whether the daemon takes a message now. */
  isOpen(): boolean;
  /** Plays one message in the daemon's process; may throw `DaemonLost`. */
  adapter: Adapter;
  /** Whether the process that was lost last was ended by us: the message under it then waits on, uncharged. */
  endedByUs(): boolean;
};

/** A message whose nudge was lost is found after this. */
const pollMs = 500;
/** Before a message is looked at again that nobody could take, or that has just lost its process. */
const againMs = 100;

/**
 * Takes an agent's runs of lifecycle `daemon` in order, one at a time, while its daemon is there for them. Each is claimed,
 * played and finalized as any run is: so none is lost, and none ends twice, whatever dies on the way.
 */
export function openMailbox(ctx: WorkerContext, options: MailboxOptions): Mailbox {
  const { daemon, adapter } = options;
  const bell = createBell();
  let closed = false;
  const adapters = new Map([...ctx.adapters.keys()].map((type) => [type, adapter]));
  const own: WorkerContext = { ...ctx, adapters, card: { ...ctx.card, daemon_epoch: daemon.epoch } };

  async function takeNext(before: string | null): Promise<string | null> {
    const runId = options.isOpen() ? await nextMessage(ctx.db, daemon.agent_id) : null;
    if (runId === null) {
      await bell.wait(pollMs);
      return null;
    }
    if (runId === before) await sleep(againMs);
    await executeRun(own, runId, settle);
    return runId;
  }
  /** The process ended under a message, or was ended by us. */
  async function settle(_own: WorkerContext, run: HeldRun, fault: unknown): Promise<void> {
    if (!(fault instanceof DaemonLost)) return loseAttempt(ctx, run, fault);
    if (fault.exit === null || options.endedByUs()) await giveBackRun(ctx.db, run);
    else await chargeMessage(ctx, run, { message: fault.message, limit: fault.exit.limit });
  }
  async function work(): Promise<void> {
    let last: string | null = null;
    while (!closed) {
      try {
        last = await takeNext(last);
      } catch (error) {
        ctx.log.warn({ agent_id: daemon.agent_id, err: String(error) }, "a message could not be taken; it waits on");
        await sleep(againMs);
      }
    }
  }
  const working = work();

  return {
    ring: () => bell.ring(),
    async close() {
      closed = true;
      bell.ring();
      await working;
    },
  };
}

/** The process died under a message: the rule for lost attempts decides whether it is tried again. */
async function chargeMessage(
  ctx: WorkerContext,
  run: HeldRun,
  { message, limit }: { message: string; limit: string | null },
): Promise<void> {
  const loss = await loseRun(ctx.db, run, "daemon_crashed");
  if (loss.kind !== "exhausted") return;
  const code = limit ? `${limit}_limit` : "daemon_crashed";
  const error = { code, type: null, message, traceback: null };
  const outcome = { status: "error", result_content: null, error, state_snapshot: null } as const;
  await endRun(ctx, loss.run, { cause: "give_up", outcome, reason: code, duration_ms: null });
}
