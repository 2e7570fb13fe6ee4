import { queueTtlMs } from "../../domain/run/run-limits.ts";
import { isTerminal, type RunStatus } from "../../domain/run/run-status.ts";
import { mayMove } from "../../domain/run/transitions.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import type { Db } from "../../store/client.ts";
import { cancelDescendants } from "../../store/children/cancel-descendants.ts";
import type { Owner } from "../../store/owned-by.ts";
import { readRunHandle, requestCancel, wakeToCancel } from "../../store/runs/moves/request-cancel.ts";
import { findAhead } from "../../store/threads/thread-order.ts";
import { endRun } from "./end-run.ts";
import { nudgeRuns } from "./nudge-run.ts";

export type CancelDeps = { db: Db; streams: RunStreams; queue: Pick<RunQueue, "dispatch"> };

/** Whose run may be cancelled, and who wants it. The timeline names the `actor`; null: the service itself. */
export type Canceller = { owner: Owner; actor: string | null };

/**
 * Cancels a run, and the runs that it has started. A queued or interrupted run ends at once, a suspended one once its code has
 * cleaned up. A running one is stopped by its worker, which gets a signal and
 * otherwise finds the request in the row. An ended run stays as it is. Returns false when the owner has no such run.
 */
export async function cancelRun(deps: CancelDeps, runId: string, canceller: Canceller): Promise<boolean> {
  if (!(await cancelOne(deps, runId, canceller))) return false;
  await cancelChildren(deps, runId, canceller.actor);
  return true;
}

/** Cancels runs of any number, a few at a time: others need this process' connections, too. */
export async function cancelRuns(deps: CancelDeps, runIds: string[], canceller: Canceller): Promise<void> {
  await fewAtOnce([...runIds], (id) => cancelRun(deps, id, canceller));
}

/**
 * Cancels the runs below a run that has ended or is to end. Resolves when that is committed: a run that no worker has ends a little
 * later.
 */
export async function cancelChildren(deps: CancelDeps, runId: string, actor: string | null): Promise<void> {
  const left = await cancelDescendants(deps.db, runId, actor);
  // Whatever fails here is done by the internal job.
  void endBelow(deps, left, actor).catch(() => undefined);
}

/** Suspended runs are woken together; the others are ended one by one. */
async function endBelow(
  deps: CancelDeps,
  runs: Awaited<ReturnType<typeof cancelDescendants>>,
  actor: string | null,
): Promise<void> {
  const isSuspended = ({ status }: { status: RunStatus }): boolean => mayMove("wake_to_cancel", status, "queued");
  const suspended = runs.filter(isSuspended);
  while (suspended.length > 0) await wake(deps, suspended.splice(0, wokenAtOnce), actor);
  const left = runs.filter((run) => !isSuspended(run));
  await fewAtOnce(left, (run) => cancelOne(deps, run.id, { owner: null, actor }));
}

const wokenAtOnce = 100;
const endedAtOnce = 4;

/** Acts on each of `left` and empties it. */
async function fewAtOnce<T>(left: T[], act: (item: T) => Promise<unknown>): Promise<void> {
  const next = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await act(item);
  };
  await Promise.all(Array.from({ length: endedAtOnce }, next));
}

/** Returns how many were suspended still. */
async function wake(deps: CancelDeps, runs: Parameters<typeof wakeToCancel>[1], actor: string | null): Promise<number> {
  const woken = await wakeToCancel(deps.db, runs, actor, queueTtlMs);
  await nudgeRuns(deps, woken);
  return woken.length;
}

async function cancelOne(deps: CancelDeps, runId: string, { owner, actor }: Canceller): Promise<boolean> {
  for (;;) {
    const run = await readRunHandle(deps.db, runId, owner);
    if (!run) return false;
    if (isTerminal(run.status)) return true;
    if (mayMove("cancel", run.status, "cancelled")) {
      const nothing = { result_content: null, error: null, state_snapshot: null };
      const outcome = { ...nothing, status: "cancelled" } as const;
      if (await endRun(deps, run, { cause: "cancel", outcome, reason: "cancelled", duration_ms: null, by: actor }))
        return true;
    } else if (mayMove("wake_to_cancel", run.status, "queued")) {
      if ((await wake(deps, [run], actor)) > 0) return true;
    } else if (await requestCancel(deps.db, run, actor)) {
      if (run.worker_id)
        await deps.streams.signalWorker(run.worker_id, { kind: "look", run_id: run.id }).catch(() => undefined);
      return true;
    }
    // The run's status changed between the read and the write: read it again.
  }
}

/** Cancels the runs of a thread that come before `run`: the multitask strategy `interrupt`. May be repeated. */
export async function cancelEarlierRuns(
  deps: CancelDeps,
  run: { id: string; thread_id: string | null },
): Promise<void> {
  if (run.thread_id === null) return;
  // The newest first, so that no queued one starts when the one before it ends.
  for (const id of await findAhead(deps.db, run.thread_id, run.id))
    await cancelRun(deps, id, { owner: null, actor: null });
}
