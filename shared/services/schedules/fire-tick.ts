import { versionErrors } from "../runs/check-version.ts";
import { quotaErrors } from "../../domain/errors/error-codes.ts";
import { AppError, conflict, notFound } from "../../domain/errors/app-error.ts";
import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import type { Queryable } from "../../store/client.ts";
import type { JobRow } from "../../store/jobs/job-columns.ts";
import { askToCancel, findOpenRuns } from "../../store/jobs/job-runs.ts";
import { insertRunIn, type NewRun } from "../../store/runs/insert-run.ts";
import { type DueTick, makeTickRun, type TickDeps } from "./make-tick-run.ts";

/** The codes that `fireTick` throws. */
export const tickErrors = [
  "still_running",
  "too_many_runs",
  ...versionErrors,
  ...quotaErrors,
  "thread_not_found",
  "thread_busy",
  "daemon_failed",
  "daemon_stopped",
  "too_many_daemons",
] as const;

/** A tick's run, and the ids of the runs that are cancelled for it. */
export type FiredTick = { run: NewRun; cancelled: string[] };

/**
 * Makes the run of a tick. `client` is a transaction that holds the job's lock and records the tick. Throws AppError or
 * ValidationFault when the tick makes no run; the transaction can still be used then.
 */
export async function fireTick(deps: TickDeps, client: Queryable, job: JobRow, tick: DueTick): Promise<FiredTick> {
  const { auth, queue } = deps.config;
  const open = await findOpenRuns(client, job.id);
  if (job.overlap === "skip" && open.length > 0)
    throw conflict("still_running", `The job's previous run '${open[0]}' has not ended. Its overlap is 'skip'.`);
  if (open.length >= queue.perAgent)
    throw new AppError(
      "too_many_requests",
      "too_many_runs",
      `The job has ${open.length} runs that have not ended, as many as AGENT_QUEUE_LIMIT allows.`,
      5,
    );
  const run = await makeTickRun(deps, client, job, tick);
  const { kind } = await insertRunIn(client, run, auth.mode === "open" ? null : job.user_id);
  if (kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (kind === "thread_busy") throw conflict("thread_busy", "The job's thread has a run that has not ended.");
  const cancelled = job.overlap === "cancel_previous" ? open : [];
  await askToCancel(client, cancelled);
  return { run, cancelled };
}

/** Returns why a tick made no run, for its record. Null: the error is none of the job's, and the tick is tried again. */
export function skipReasonOf(error: unknown): string | null {
  if (error instanceof AppError) return error.code;
  return error instanceof ValidationFault ? "invalid_input" : null;
}
