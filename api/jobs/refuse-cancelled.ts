import { conflict } from "../../shared/domain/errors/app-error.ts";
import type { JobRow } from "../../shared/store/jobs/job-columns.ts";

/** Throws conflict for a job whose ticks can't be fired, not even by hand. */
export function refuseCancelled({ status }: Pick<JobRow, "status">): void {
  if (status === "cancelled") throw conflict("job_ended", "The job is cancelled and can't fire. Create a new one.");
}
