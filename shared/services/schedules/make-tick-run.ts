import { jitterOf } from "../../domain/schedule/jitter.ts";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import { newRun } from "../runs/new-run.ts";
import { boundsOf, quotaFault } from "../runs/check-quota.ts";
import { readQuotaState } from "../../store/billing/read-quota-state.ts";
import type { Queryable } from "../../store/client.ts";
import type { JobRow } from "../../store/jobs/job-columns.ts";
import type { NewRun } from "../../store/runs/queue/insert-run.ts";
import type { PreparedTicks } from "./prepare-ticks.ts";

/** A tick of a job. `jitter_ms`: its run starts up to this much later; null: at once. */
export type DueTick = { at: Date; jitter_ms: number | null };

/** Returns the row of the run that a job makes at a tick. Throws when the owner's plan has no room. */
export async function makeTickRun(
  keys: KeyRing,
  client: Queryable,
  { job, request, version }: PreparedTicks & { job: JobRow },
  { at, jitter_ms }: DueTick,
): Promise<NewRun> {
  const later = jitterOf(job.id, at, jitter_ms);
  const quota = await readQuotaState({ sql: client }, job.user_id);
  const fault = quotaFault(quota, 0);
  if (fault) throw fault;
  return newRun(keys, {
    request: { ...request, ...(later > 0 && { run_at: new Date(at.getTime() + later) }) },
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
