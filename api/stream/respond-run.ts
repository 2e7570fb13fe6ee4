import { notFound } from "../../shared/domain/errors/app-error.ts";
import type { EventId } from "../../shared/domain/run/event-id.ts";
import type { StreamEvent } from "../../shared/schemas/run-event.ts";
import type { RunRecord } from "../../shared/schemas/run.ts";
import type { Owner } from "../../shared/store/owned-by.ts";
import { readRun } from "../../shared/store/runs/read/read-run.ts";
import type { Prefer } from "../http/parse-prefer.ts";
import { awaitRunEnd } from "./await-run-end.ts";
import type { Tail } from "./tail.ts";
import type { TailHub } from "./tail-hub.ts";
import { type RespondDeps, respondSse } from "./respond-sse.ts";
import type { StreamView } from "./stream-format.ts";

/** A run that a request has made or resumed, and that it listens to. */
export type FollowedRun = {
  run_id: string;
  thread_id: string | null;
  /** The run's first event. Null: an earlier request has made the run. */
  queued: StreamEvent | null;
  /** The event after which the answer begins. */
  cursor: EventId;
  tail: Tail;
};

/** An answer that writes the response itself. */
type Streamed = { respond: (req: unknown, res: Parameters<typeof respondSse>[1]) => void };

/** Returns an answer that is the stream of a followed run. */
export const streamOf = (deps: RespondDeps, run: FollowedRun, view: StreamView): Streamed => ({
  respond: (_req, res) => respondSse(deps, res, { ...run, first: run.queued, ...view }),
});

type Position = Pick<FollowedRun, "run_id" | "thread_id" | "cursor">;

/** Returns an answer that is the stream of a run which an earlier request has made. Listens once the answer begins. */
export const streamAgain = (
  deps: RespondDeps & { hub: Pick<TailHub, "open"> },
  run: Position,
  view: StreamView,
): Streamed => ({
  respond: (_req, res) => respondSse(deps, res, { ...run, tail: deps.hub.open(run.run_id), first: null, ...view }),
});

/** Returns what `act` gives. When it fails, the run is not followed any longer. */
export async function whileFollowing<T>({ tail }: FollowedRun, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    tail.close();
    throw error;
  }
}

type Wait = { prefer: Exclude<Prefer, "stream">; untilGone: AbortSignal; owner: Owner };

/** Waits for a followed run as long as the client prefers. Returns the run's record, and closes the tail. */
export async function awaitRecord(deps: RespondDeps, run: FollowedRun, wait: Wait): Promise<RunRecord> {
  const { prefer, untilGone, owner } = wait;
  if (prefer.waitMs > 0) await awaitFollowedRun(deps, run, prefer.waitMs, [untilGone, deps.leaving]);
  run.tail.close();
  const record = await readRun(deps.db, run.run_id, owner);
  if (!record) throw notFound("run", run.run_id);
  return record;
}

/** Resolves when the run has ended or waits for an answer, after `ms`, or on one of the signals. Closes the tail. */
function awaitFollowedRun(
  deps: RespondDeps,
  { run_id, tail, queued, cursor }: FollowedRun,
  ms: number,
  signals: AbortSignal[],
): Promise<void> {
  // Of a new run the first event is known.
  return awaitRunEnd(deps, run_id, tail, { cursor: queued ?? cursor, fresh: queued !== null, ms, signals });
}
