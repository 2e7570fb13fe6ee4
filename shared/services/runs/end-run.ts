import type { RunQueue } from "../../platform/queue/run-queue.ts";
import { type Outcome, terminalEvent } from "../../domain/run/terminal-event.ts";
import { placeEvent } from "../../domain/run/stream-event.ts";
import { salvageStream } from "./salvage-stream.ts";
import type { Db } from "../../store/client.ts";
import { type Finalization, finalizeRun, type SeenRun } from "../../store/runs/moves/finalize-run.ts";
import { forgetWaits } from "../../store/journal/read-waits.ts";
import { readAttemptsUsage } from "../../store/runs/moves/read-spent.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import { nudgeRuns } from "./nudge-run.ts";

export type EndRunDeps = { db: Db; streams: RunStreams; queue: Pick<RunQueue, "dispatch"> };

export type Ending = {
  cause: Exclude<Finalization["cause"], "finish">;
  /** The usage is the sum of what the run's attempts reported. */
  outcome: Omit<Outcome, "usage">;
  reason: string | null;
  /** Who asked for the end, such as a key's id. Absent: the service itself. */
  by?: string | null;
  /** Null: the total duration of the run's attempts. */
  duration_ms: number | null;
};

/**
 * Ends a run that the caller does not execute. It takes the attempt number after `seen.attempt`, which fences a worker that may
 * still hold the run; the terminal event is that attempt's only event. Returns false when the run has changed since it was
 * read: read it again. After true the end is committed, while Redis may get the event later or never.
 */
export async function endRun({ db, streams, queue }: EndRunDeps, seen: SeenRun, ending: Ending): Promise<boolean> {
  const { id, attempt, worker_id } = seen;
  const { cause, reason, by = null } = ending;
  const spent = await readAttemptsUsage(db, id);
  if (!spent) return false;
  const metered_ms = spent.duration_ms;
  const duration_ms = ending.duration_ms ?? metered_ms;
  const terminal = terminalEvent({ ...ending.outcome, usage: spent.usage }, null, duration_ms);
  const last = placeEvent(id, { attempt: attempt + 1, seq: 1 }, terminal, spent.now);
  // Null: the statement takes the usage from the row, to which the worker may have added since `spent` was read.
  const outcome = { ...ending.outcome, usage: null };
  const figures = { duration_ms, metered_ms };
  const end = await finalizeRun(db, { run_id: id, cause, attempt, outcome, ...figures, events: [last], reason, by });
  if (end.kind === "stale") return false;
  await Promise.allSettled([
    forgetWaits(db, id),
    streams.append(id, [last]).then(() => salvageStream(db, streams, id, attempt)),
    worker_id && streams.signalWorker(worker_id, { kind: "look", run_id: id }),
    end.next_run_id && nudgeRuns({ db, queue }, [end.next_run_id]),
  ]);
  return true;
}
