import type { Config } from "../config/load-config.ts";
import { chooseVersion } from "../choose-version.ts";
import { AppError, conflict, notFound } from "../errors.ts";
import { newId } from "../ids.ts";
import type { JsonSchemas } from "../json-schema.ts";
import { newRun } from "../new-run.ts";
import type { Db, Queryable } from "../store/client.ts";
import { type JobRow, jobToRequest } from "../store/jobs/job-columns.ts";
import { askToCancel, findOpenRuns } from "../store/jobs/job-runs.ts";
import { insertRunIn, type NewRun } from "../store/runs/insert-run.ts";
import type { RunStreams } from "../stream/run-streams.ts";
import { wakeDaemon } from "../wake-daemon.ts";

type Deps = {
  config: Pick<Config, "auth" | "encryptionKeys" | "queue">;
  db: Db;
  jsonSchemas: JsonSchemas;
  streams: RunStreams;
};

/** A tick's run, and the runs that had to make way for it. */
export type FiredTick = { run: NewRun; overtaken: string[] };

/**
 * Makes the run of a tick over `client`, whose transaction holds the job's lock and notes the tick. Throws AppError or
 * ValidationFault where there is to be none now; the transaction is good for more then.
 */
export async function fireTick(deps: Deps, client: Queryable, job: JobRow, at: Date): Promise<FiredTick> {
  const { config, jsonSchemas } = deps;
  const open = await findOpenRuns(client, job.id);
  if (job.overlap === "skip" && open.length > 0) throw conflict("still_running", "The run before has not ended.");
  if (open.length >= config.queue.perAgent)
    throw new AppError("too_many_requests", "too_many_runs", `${open.length} runs of the job have not ended.`, 5);
  const request = jobToRequest(config.encryptionKeys, job);
  const owner = config.auth.mode === "open" ? null : job.user_id;
  const version = await chooseVersion({ db: { sql: client }, jsonSchemas }, request, owner);
  if (request.lifecycle === "daemon") await wakeDaemon(deps, { agent_id: job.agent_id, ...version });
  const run = newRun(config.encryptionKeys, {
    request,
    version,
    run_id: newId("run"),
    traceparent: null,
    origin: "job",
    replay_of: null,
    job_id: job.id,
    metadata: { ...(job.metadata as Record<string, unknown>), scheduled_at: at.toISOString() },
  });
  const { kind } = await insertRunIn(client, run, owner);
  if (kind === "foreign_thread") throw notFound("thread", run.thread_id ?? "");
  if (kind === "thread_busy") throw conflict("thread_busy", "The job's thread has a run that has not ended.");
  const overtaken = job.overlap === "cancel_previous" ? open : [];
  await askToCancel(client, overtaken);
  return { run, overtaken };
}
