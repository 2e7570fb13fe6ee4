import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { createJob } from "./create-job.ts";
import { listJobs } from "./list-jobs.ts";
import { getJob } from "./get-job.ts";
import { updateJob } from "./update-job.ts";
import { deleteJob } from "./delete-job.ts";
import { cancelJob } from "./cancel-job.ts";
import { pauseJob } from "./pause-job.ts";
import { resumeJob } from "./resume-job.ts";
import { triggerJob } from "./trigger-job.ts";
import { backfillJob } from "./backfill-job.ts";
import { previewSchedule } from "./preview-schedule.ts";
import { previewJob } from "./preview-job.ts";
import { listJobRuns } from "./list-job-runs.ts";
import { listJobTicks } from "./list-job-ticks.ts";

export const jobsOperations: readonly Operation<ApiContext>[] = [
  createJob,
  listJobs,
  getJob,
  updateJob,
  deleteJob,
  cancelJob,
  pauseJob,
  resumeJob,
  triggerJob,
  backfillJob,
  previewSchedule,
  previewJob,
  listJobRuns,
  listJobTicks,
];
