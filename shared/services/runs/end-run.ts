import type { RunQueue } from "../../platform/queue/run-queue.ts";
import { type Outcome, terminalEvent } from "../../domain/run/terminal-event.ts";
import { placeEvent } from "../../domain/run/stream-event.ts";
import { salvageStream } from "./salvage-stream.ts";
import type { Db } from "../../store/client.ts";
import { type Finalization, finalizeRun, type SeenRun } from "../../store/runs/finalize-run.ts";
import { readSpent } from "../../store/runs/read-spent.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";

type Deps = { db: Db; streams: RunStreams; queue: Pick<RunQueue, "dispatch"> };

export type Ending = {
  cause: Exclude<Finalization["cause"], "finish">;
  /** Its usage is what its attempts have told. */
  outcome: Omit<Outcome, "usage">;
  reason: string | null;
  /** Null: as long as its attempts took. */
  duration_ms: number | null;
};

/**
 * Ends a run that the caller doesn't execute: takes the attempt after the one it saw, which fences a worker that may
 * still hold the run, and makes the terminal event that attempt's only one. False: the run moved on since it was seen;
 * look again. Once true, the end is committed; Redis may hear of it later, or never.
 */
export async function endRun({ db, streams, queue }: Deps, seen: SeenRun, ending: Ending): Promise<boolean> {
  const { id, attempt, worker_id } = seen;
  const { cause, reason } = ending;
  const spent = await readSpent(db, id);
  if (!spent) return false;
  const duration_ms = ending.duration_ms ?? spent.duration_ms;
  const told = terminalEvent({ ...ending.outcome, usage: spent.usage }, null, duration_ms);
  const last = placeEvent(id, { attempt: attempt + 1, seq: 1 }, told, spent.now);
  // What the row says by then counts: its worker may have put it aside, with more, since it was read.
  const outcome = { ...ending.outcome, usage: null };
  const end = await finalizeRun(db, { run_id: id, cause, attempt, outcome, duration_ms, events: [last], reason });
  if (end.kind === "stale") return false;
  await Promise.allSettled([
    streams.append(id, [last]).then(() => salvageStream(db, streams, id, attempt)),
    worker_id && streams.signalWorker(worker_id, { kind: "look", run_id: id }),
    end.next_run_id && queue.dispatch(end.next_run_id),
  ]);
  return true;
}
