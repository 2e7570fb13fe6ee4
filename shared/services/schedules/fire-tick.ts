import { versionErrors } from "../runs/check-version.ts";
import { capacityErrors } from "../../domain/errors/error-codes.ts";
import { AppError, conflict, notFound } from "../../domain/errors/app-error.ts";
import type { Queryable } from "../../store/client.ts";
import type { JobRow } from "../../store/jobs/job-columns.ts";
import { askToCancelJob, countOpenRuns } from "../../store/jobs/job-runs.ts";
import { type Settlement, settleTick } from "../../store/jobs/record-ticks.ts";
import { insertRunIn, type NewRun } from "../../store/runs/queue/insert-run.ts";
import { type DueTick, makeTickRun } from "./make-tick-run.ts";
import type { PreparedTicks, TickDeps } from "./prepare-ticks.ts";
import { orSkipped, type Skipped } from "./skip-tick.ts";

/** The codes that `prepareTicks`, a reservation of the queue's room and `fireTick` throw. */
export const tickErrors = [
  "still_running",
  "too_many_runs",
  ...versionErrors,
  ...capacityErrors,
  "thread_not_found",
  "thread_busy",
  "daemon_failed",
  "daemon_stopped",
  "too_many_daemons",
] as const;

/** A tick's run, and the ids of the runs that are cancelled for it. */
export type FiredTick = { run: NewRun; cancelled: string[] };

/**
 * Makes the run of a tick. `client` is a transaction that holds the job's lock and records the tick; the room in the queue is
 * reserved before it. Throws AppError or ValidationFault when the tick makes no run; the transaction can still be used then.
 */
export async function fireTick(
  deps: Pick<TickDeps, "config">,
  client: Queryable,
  prepared: PreparedTicks & { job: JobRow },
  tick: DueTick,
): Promise<FiredTick> {
  const { auth, queue, encryptionKeys } = deps.config;
  const { job } = prepared;
  const most = job.overlap === "skip" ? 1 : queue.perAgent;
  const { open, one } = await countOpenRuns(client, job.id, most);
  if (job.overlap === "skip" && open > 0)
    throw conflict("still_running", `The job's previous run '${one}' has not ended. Its overlap is 'skip'.`);
  if (open >= most)
    throw new AppError(
      "too_many_requests",
      "too_many_runs",
      `The job has ${open} runs that have not ended, as many as AGENT_QUEUE_LIMIT allows.`,
      5,
    );
  const run = await makeTickRun(encryptionKeys, client, prepared, tick);
  const { kind } = await insertRunIn(client, run, auth.mode === "open" ? null : job.user_id);
  if (kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (kind === "thread_busy") throw conflict("thread_busy", "The job's thread has a run that has not ended.");
  const cancels = job.overlap === "cancel_previous" && open > 0;
  return { run, cancelled: cancels ? await askToCancelJob(client, job.id, { except: run.id, by: null }) : [] };
}

/** Fires a tick that was taken, and notes what became of it. Returns that; a `run_id` of null: the tick was skipped. */
export async function fireOrSkip(
  deps: Pick<TickDeps, "config">,
  client: Queryable,
  { job, ready }: { job: JobRow; ready: PreparedTicks | Skipped },
  tick: DueTick,
): Promise<{ fired: FiredTick | null; end: Settlement }> {
  const result = "reason" in ready ? ready : await orSkipped(fireTick(deps, client, { ...ready, job }, tick));
  const [fired, end]: [FiredTick | null, Settlement] =
    "reason" in result ? [null, { run_id: null, ...result }] : [result, { run_id: result.run.id, reason: null }];
  await settleTick(client, { job_id: job.id, at: tick.at, manual: false }, end);
  return { fired, end };
}
