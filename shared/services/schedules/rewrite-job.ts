import { conflict } from "../../domain/errors/app-error.ts";
import type { KeyRing } from "../../platform/config/load-config.ts";
import type { JobBody } from "../../schemas/job.ts";
import type { JobChange } from "../../store/jobs/change-job.ts";
import { jobColumns, type JobRow } from "../../store/jobs/job-columns.ts";
import { firstTickOf } from "./first-tick-of.ts";

/** Returns how a job stands with another body. Its next tick changes only with its times. Throws conflict for an ended job. */
export function rewriteJob(keys: KeyRing, job: JobRow, { now, body }: { now: Date; body: JobBody }): JobChange {
  if (job.status !== "active" && job.status !== "paused")
    throw conflict("job_ended", `The job is ${job.status} and can't be changed. Create a new one.`);
  const columns = jobColumns(keys, job.id, body);
  const { status, next_tick_at } = job;
  const sameTimes =
    columns.schedule === job.schedule &&
    columns.timezone === job.timezone &&
    columns.ends_at?.getTime() === job.ends_at?.getTime();
  const isDue = next_tick_at !== null && next_tick_at <= now;
  const stays = status === "paused" || isDue || sameTimes;
  return { columns, status, next_tick_at: stays ? next_tick_at : firstTickOf(body, now) };
}
