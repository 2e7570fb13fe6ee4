import { withTimeLimit } from "../../platform/lifecycle/with-time-limit.ts";
import { claimInternalJob } from "../../store/internal-jobs/claim-internal-job.ts";
import { finishInternalJob, type JobOutcome } from "../../store/internal-jobs/finish-internal-job.ts";
import type { InternalJob, JobDeps } from "./internal-job.ts";
import { errorText } from "../../platform/error-text.ts";

/** A job is stopped after this time. Its next run does the rest. */
const maxRunMs = 60_000;
/** Much longer than `maxRunMs`: the last statement may take its time. */
const leaseMs = 5 * maxRunMs;

type Trigger = {
  triggered_by: string;
  dry_run: boolean;
  /** The job runs only if its last start is at least this long ago. Null: it runs now. */
  every_ms: number | null;
  /** Aborted when this process shuts down. */
  signal: AbortSignal;
};

/** Runs an internal job in this process. Returns the id of the job's run when it is over; null when another run is active. */
export async function runInternalJob(deps: JobDeps, job: InternalJob, trigger: Trigger): Promise<string | null> {
  const { signal, ...claim } = trigger;
  const id = await claimInternalJob(deps.db, { name: job.name, lease_ms: leaseMs, ...claim });
  if (id === null) return null;
  const outcome = await withTimeLimit({ ms: maxRunMs, signals: [signal] }, (limited) =>
    job.run(deps, { dry_run: trigger.dry_run, signal: limited }),
  ).then(
    (result): JobOutcome => ({ result }),
    (error: unknown): JobOutcome => ({ error: errorText(error) }),
  );
  if ("error" in outcome) deps.log.error({ job: job.name, err: outcome.error }, "an internal job failed");
  await finishInternalJob(deps.db, id, outcome);
  return id;
}
