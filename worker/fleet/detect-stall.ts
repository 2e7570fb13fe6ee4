import { type Loop, startLoop } from "../../shared/platform/lifecycle/start-loop.ts";
import { isRunOverdue } from "../../shared/store/runs/queue/find-queued-runs.ts";
import type { WorkerContext } from "../context.ts";
import { nudgePatienceMs, type RunTaker } from "./take-runs.ts";

/** The exit code of a stalled worker: EX_TEMPFAIL of sysexits.h, so that its supervisor starts it again. */
export const stalledExitCode = 75;

/** Long enough for two polls. */
const checkEveryMs = nudgePatienceMs;

/** What a worker finds about itself at a check. Times are performance.now(). */
export type Check = {
  /** When the check before this one was made. */
  before: number;
  /** True when the worker has a free slot and there is a run for it. */
  runWaits: boolean;
  /** When the worker last ended a poll, and when it last tried to claim a run. */
  polledAt: number;
  triedAt: number;
};

/** Counts missed checks in a row: a run waited, and since the check before the worker didn't poll or didn't try to claim. */
export const countMissed = (missed: number, { before, runWaits, polledAt, triedAt }: Check): number =>
  runWaits && Math.min(polledAt, triedAt) < before ? missed + 1 : 0;

type StallWatch = { taker: RunTaker; isLeaving: () => boolean; onStalled: () => void };

/**
 * Detects that this worker takes no run though it could: for half a minute, with a lease of 10 s. Checks are counted, not
 * seconds, so that neither a frozen process nor a Postgres that is away looks like a stall. A slot counts as free until its
 * run is claimed: claims that never end are a stall, too. A worker that executes a run alone has no free slot.
 */
export function detectStall(
  {
    config,
    log,
    db,
    card,
    outputs,
    memory,
  }: Pick<WorkerContext, "config" | "log" | "db" | "card" | "outputs" | "memory">,
  watched: StallWatch,
): Loop {
  const { slots, leaseMs } = config.worker;
  const missedToBeStalled = (nudgePatienceMs + 3 * leaseMs) / checkEveryMs;
  const waiting = { olderThanMs: nudgePatienceMs, adapters: card.adapters, pool: card.pool };
  let before = performance.now();
  let missed = 0;
  return startLoop("detect-stall", checkEveryMs, log, async () => {
    const isFull = outputs.size >= (watched.taker.isReserved() ? 1 : slots);
    const mayTake = !watched.isLeaving() && !isFull && memory.roomForRuns() > 0;
    const runWaits = mayTake && (await isRunOverdue(db, waiting).catch(() => false));
    missed = countMissed(missed, { before, runWaits, ...watched.taker.lastActs() });
    before = performance.now();
    if (missed < missedToBeStalled) return;
    log.error(
      { missed_checks: missed, exit_code: stalledExitCode },
      "this worker is stalled: it takes no run though runs wait; it leaves the fleet",
    );
    missed = 0;
    watched.onStalled();
  });
}
