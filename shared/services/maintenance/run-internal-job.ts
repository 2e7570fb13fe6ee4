import { withTimeLimit } from "../../platform/lifecycle/with-time-limit.ts";
import { claimJob } from "../../store/internal-jobs/claim-job.ts";
import { finishJob, type JobOutcome } from "../../store/internal-jobs/finish-job.ts";
import type { InternalJob, JobDeps } from "./internal-job.ts";

/** A turn leaves off then, whatever is left to do. */
const turnMs = 60_000;
/** With much room for the statement that a turn is at when its time is over. */
const leaseMs = 5 * turnMs;

type Trigger = {
  triggered_by: string;
  dry_run: boolean;
  /** Not sooner than this after its last turn began; null: now. */
  every_ms: number | null;
  /** The process goes. */
  signal: AbortSignal;
};

/** A turn of an internal job, in this process. Gives its id once it is over; null when another one is under way. */
export async function runInternalJob(deps: JobDeps, job: InternalJob, trigger: Trigger): Promise<string | null> {
  const { signal, ...claim } = trigger;
  const id = await claimJob(deps.db, { name: job.name, lease_ms: leaseMs, ...claim });
  if (id === null) return null;
  const outcome = await withTimeLimit({ ms: turnMs, signals: [signal] }, (limited) =>
    job.run(deps, { dry_run: trigger.dry_run, signal: limited }),
  ).then(
    (result): JobOutcome => ({ result }),
    (error: unknown): JobOutcome => ({ error: String(error) }),
  );
  if ("error" in outcome) deps.log.error({ job: job.name, err: outcome.error }, "an internal job failed");
  await finishJob(deps.db, id, outcome);
  return id;
}
