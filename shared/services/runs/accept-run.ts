import { AppError, conflict, notFound } from "../../domain/errors/app-error.ts";
import { capacityErrors } from "../../domain/errors/error-codes.ts";
import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import { defaultPool } from "../../domain/run/pool.ts";
import type { Log } from "../../platform/log.ts";
import type { RunQueue } from "../../platform/queue/run-queue.ts";
import { trace } from "../../platform/run-trace-marks.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import type { StreamEvent } from "../../schemas/run-event.ts";
import { findAcceptedRun } from "../../store/runs/queue/find-accepted-run.ts";
import { replaceDebounced } from "../../store/runs/queue/debounce-run.ts";
import { markWaiting } from "../../store/runs/queue/mark-waiting.ts";
import { type Insertion, insertRun, type NewRun } from "../../store/runs/queue/insert-run.ts";
import { releaseRuns } from "../../store/runs/moves/schedule-run.ts";
import { type CancelDeps, cancelEarlierRuns } from "./cancel-run.ts";
import { acceptableErrors } from "./check-acceptable.ts";
import { announceGrant, type Granted, returnCredit, takeCredit } from "./grant-run.ts";
import { nudgeRun, nudgeRuns } from "./nudge-run.ts";
import { type Origin, type PrepareDeps, prepareRun } from "./prepare-run.ts";
import { executeHash } from "./request-hash.ts";
import { retryWhenAgentChanged } from "./version-cache.ts";
import { errorText } from "../../platform/error-text.ts";
import { checkRunId } from "./check-run-id.ts";

/** The codes that `acceptRun` throws. */
export const acceptErrors = [
  ...acceptableErrors,
  ...capacityErrors,
  "daemon_failed",
  "daemon_stopped",
  "too_many_daemons",
  "thread_busy",
  "run_id_taken",
] as const;

export type AcceptDeps = PrepareDeps & CancelDeps & { log: Log; queue: RunQueue };

export type AcceptedRun = {
  run_id: string;
  thread_id: string | null;
  /** The run's first event. Null: an earlier request with the same run id or key has made the run. */
  queued: StreamEvent | null;
};

/** Starts to listen to a run's events. Resolves when it listens. */
export type Listen = (runId: string) => Promise<void>;

/**
 * Checks a request, commits its run and nudges a worker. Once `acceptRun` has resolved, the run will get an end, whatever
 * happens to this process. `listen` is called before the commit, and again with another run id when the agent changed meanwhile.
 */
export function acceptRun(
  deps: AcceptDeps,
  request: ExecuteRequest,
  origin: Origin,
  listen?: Listen,
): Promise<AcceptedRun> {
  return retryWhenAgentChanged(deps.versions, async (resolve) => {
    for (;;) {
      // The row of a waiting run is changed without a look at its agent's revision.
      const uncached = request.debounce ? deps.versions.resolveUncached : resolve;
      const run = await prepareRun(deps, uncached, request, origin).catch((refusal: unknown) => ({ refusal }));
      if ("refusal" in run) return acceptedBefore(deps, request, origin, run.refusal);
      const listening = listen?.(run.id);
      const { committed, granted } = run.replaces
        ? { committed: await replaceWaiting(deps, run, origin.owner), granted: null }
        : await commitAndGrant(deps, run, origin.owner);
      // The debounced run is due, left its place since it was looked for, or another one took it.
      if (committed === "raced") {
        await releaseDue(deps);
        continue;
      }
      const isNew = committed === "inserted";
      if (isNew && !isScheduled(run)) await tellOnceListening(deps, run, granted, listening);
      return { run_id: run.id, thread_id: run.thread_id, queued: isNew ? run.queued_event : null };
    }
  });
}

/**
 * Returns the run that an earlier request like this one has made: what was accepted stays so, whatever its agent has become since. Throws
 * `refusal` when there is none.
 */
async function acceptedBefore(
  { db }: AcceptDeps,
  request: ExecuteRequest,
  { owner, key, key_hash }: Origin,
  refusal: unknown,
): Promise<AcceptedRun> {
  const { run_id = null } = request;
  const isRefused = refusal instanceof AppError || refusal instanceof ValidationFault;
  if (!isRefused || request.debounce || (run_id === null && key === null)) throw refusal;
  const made = await findAcceptedRun(db, run_id, key, owner);
  const hash = (key && key_hash) ?? executeHash(request);
  if (!made?.request_hash.equals(hash)) throw refusal;
  return { run_id: made.id, thread_id: made.thread_id, queued: null };
}

/** Lets runs that are due join the queue, as the workers do each second: a run that is due isn't debounced any more. */
async function releaseDue(deps: AcceptDeps): Promise<void> {
  void nudgeRuns(deps, await releaseRuns(deps.db, mostReleased));
}

const mostReleased = 100;

/** True for a run that joins the queue later. */
const isScheduled = ({ run_at, delay_ms }: NewRun): boolean => run_at !== null || delay_ms !== null;

/** `repeated`: an earlier request has made the run. `raced`: look again for the run of the debounce key. */
type CommitResult = "inserted" | "repeated" | "raced";

/** Gives a debounced run that still waits the request of a later one, and tells its readers. */
async function replaceWaiting(deps: AcceptDeps, run: NewRun, owner: Origin["owner"]): Promise<CommitResult> {
  const replaced = await replaceDebounced(deps.db, run, owner);
  if (replaced.kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (replaced.kind === "gone") return "raced";
  // Redis away: readers find the event in the transcript.
  await deps.streams.append(run.id, [replaced.event]).catch(() => undefined);
  return "repeated";
}

type Commit = { committed: CommitResult; granted: Granted | null };

/** Commits the run, as a worker's if one gave a credit. */
async function commitAndGrant(deps: AcceptDeps, run: NewRun, owner: Origin["owner"]): Promise<Commit> {
  const worker_id = await takeCredit(deps, run);
  let granted: Granted | null = null;
  try {
    const insertion = await commitRun(deps, run, owner, worker_id);
    if (insertion.kind === "debounced") return { committed: "raced", granted };
    if (insertion.kind !== "inserted") return { committed: "repeated", granted };
    if (insertion.grant && worker_id !== null) granted = { worker_id, grant: insertion.grant };
    return { committed: "inserted", granted };
  } finally {
    if (worker_id !== null && granted === null) returnCredit(deps, worker_id);
  }
}

/** Throws conflict when an earlier request with other content has made the run. */
async function commitRun(
  deps: AcceptDeps,
  run: NewRun,
  owner: Origin["owner"],
  worker_id: string | null,
): Promise<Insertion> {
  const insertion = await insertRun(deps.db, run, owner, worker_id);
  if (insertion.kind === "debounced") return insertion;
  if (insertion.kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (insertion.kind === "thread_busy")
    throw conflict("thread_busy", `The thread '${run.thread_id}' has a run that has not ended.`);
  checkRunId(insertion, run);
  // A repeated request does it too: the process of the first one may have died before it could.
  if (run.multitask === "interrupt" && !isScheduled(run)) await cancelEarlierRuns(deps, run);
  return insertion;
}

/** The nudge waits this long for Redis to confirm that we listen. A tail that listens later reads what it missed. */
const maxListenMs = 250;

/** Tells the worker that has the run, or else some worker, once `listening` has resolved. A lost message is found by the workers' poll. */
async function tellOnceListening(
  deps: AcceptDeps,
  run: NewRun,
  granted: Granted | null,
  listening: Promise<void> | undefined,
): Promise<void> {
  trace(run.id, "committed");
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, maxListenMs)));
  await Promise.race([listening, timeout]);
  clearTimeout(timer);
  if (granted === null && run.lifecycle !== "daemon" && !(await isServed(deps, run))) return;
  (granted === null ? nudgeRun(deps, run) : announceGrant(deps, run, granted))
    .then(() => trace(run.id, "queued"))
    .catch((error: unknown) =>
      deps.log.warn({ run_id: run.id, err: errorText(error) }, "no worker was told of a new run"),
    );
}

/**
 * Tells of a run that no live worker takes. Returns false when it needs no nudge: a worker that starts looks for what waits in its
 * pool, and nudges for pools that are never served would be kept for ever.
 */
async function isServed({ db, fleet, streams }: AcceptDeps, run: NewRun): Promise<boolean> {
  const workers = await fleet.offering(run).catch(() => null);
  if (workers === null || workers.length > 0) return true;
  const event = await markWaiting(db, run.id, "no_worker").catch(() => null);
  // Redis away: readers find the event in the transcript.
  if (event) await streams.append(run.id, [event]).catch(() => undefined);
  return run.pool === defaultPool;
}
