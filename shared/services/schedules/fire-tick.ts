import { versionErrors } from "../runs/choose-version.ts";
import { quotaErrors } from "../../domain/errors/error-codes.ts";
import { AppError, conflict, notFound } from "../../domain/errors/app-error.ts";
import type { Queryable } from "../../store/client.ts";
import type { JobRow } from "../../store/jobs/job-columns.ts";
import { askToCancel, findOpenRuns } from "../../store/jobs/job-runs.ts";
import { insertRunIn, type NewRun } from "../../store/runs/insert-run.ts";
import { makeTickRun, type TickDeps } from "./make-tick-run.ts";

/** What `fireTick` throws. */
export const tickErrors = [
  "still_running",
  "too_many_runs",
  ...versionErrors,
  ...quotaErrors,
  "thread_not_found",
  "thread_busy",
  "daemon_failed",
  "too_many_daemons",
] as const;

/** A tick's run, and the runs that had to make way for it. */
export type FiredTick = { run: NewRun; overtaken: string[] };

/**
 * Makes the run of a tick over `client`, whose transaction holds the job's lock and notes the tick. Throws AppError or
 * ValidationFault where there is to be none now; the transaction is good for more then.
 */
export async function fireTick(deps: TickDeps, client: Queryable, job: JobRow, at: Date): Promise<FiredTick> {
  const { auth, queue } = deps.config;
  const open = await findOpenRuns(client, job.id);
  if (job.overlap === "skip" && open.length > 0) throw conflict("still_running", "The run before has not ended.");
  if (open.length >= queue.perAgent)
    throw new AppError("too_many_requests", "too_many_runs", `${open.length} runs of the job have not ended.`, 5);
  const run = await makeTickRun(deps, client, job, at);
  const { kind } = await insertRunIn(client, run, auth.mode === "open" ? null : job.user_id);
  if (kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (kind === "thread_busy") throw conflict("thread_busy", "The job's thread has a run that has not ended.");
  const overtaken = job.overlap === "cancel_previous" ? open : [];
  await askToCancel(client, overtaken);
  return { run, overtaken };
}
