import { jitterOf } from "../../domain/schedule/jitter.ts";
import { chooseVersion } from "../runs/choose-version.ts";
import type { Config } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import type { JsonSchemas } from "../../platform/json-schema/json-schemas.ts";
import { newRun } from "../runs/new-run.ts";
import { boundsOf, quotaFault } from "../runs/check-quota.ts";
import { readQuotaState } from "../../store/billing/read-quota-state.ts";
import type { Db, Queryable } from "../../store/client.ts";
import { type JobRow, jobToRequest } from "../../store/jobs/job-columns.ts";
import type { NewRun } from "../../store/runs/insert-run.ts";
import type { RunStreams } from "../../platform/stream/run-streams.ts";
import { wakeDaemon } from "../daemons/wake-daemon.ts";

export type TickDeps = {
  config: Pick<Config, "auth" | "encryptionKeys" | "perUser" | "queue">;
  db: Db;
  jsonSchemas: JsonSchemas;
  streams: RunStreams;
};

/** A tick of a job. `jitter_ms`: its run starts up to this much later; null: at once. */
export type DueTick = { at: Date; jitter_ms: number | null };

/** Returns the row of the run that a job makes at a tick, after the checks of an execute request. Throws the same errors. */
export async function makeTickRun(
  deps: TickDeps,
  client: Queryable,
  job: JobRow,
  { at, jitter_ms }: DueTick,
): Promise<NewRun> {
  const keys = deps.config.encryptionKeys;
  const later = jitterOf(job.id, at, jitter_ms);
  const request = { ...jobToRequest(keys, job), ...(later > 0 && { run_at: new Date(at.getTime() + later) }) };
  const within = { sql: client };
  const version = await chooseVersion({ db: within, jsonSchemas: deps.jsonSchemas }, request, job.user_id);
  const quota = await readQuotaState(within, job.user_id);
  const fault = quotaFault(quota, 0);
  if (fault) throw fault;
  if (request.lifecycle === "daemon") await wakeDaemon(deps, { agent_id: job.agent_id, ...version });
  return newRun(keys, {
    request,
    version,
    run_id: newId("run"),
    traceparent: null,
    origin: "job",
    by: null,
    replay_of: null,
    job_id: job.id,
    bounds: boundsOf(quota),
    metadata: { scheduled_at: at.toISOString() },
  });
}
