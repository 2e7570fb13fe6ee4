import { conflict } from "../../domain/errors/app-error.ts";
import { userHasMost } from "../../domain/errors/user-has-most.ts";
import type { Config } from "../../platform/config/load-config.ts";
import { newId } from "../../platform/ids.ts";
import type { TickQueue } from "../../platform/queue/tick-queue.ts";
import type { JobBody } from "../../schemas/job.ts";
import { createJob as create } from "../../store/jobs/change-job.ts";
import { jobColumns } from "../../store/jobs/job-columns.ts";
import type { Owner } from "../../store/owned-by.ts";
import { readClock } from "../../store/read-clock.ts";
import { versionErrors } from "../runs/check-version.ts";
import { checkJob, type CheckJobDeps } from "./check-job.ts";
import { firstTickOf } from "./first-tick-of.ts";

/** The codes that `createJob` throws. */
export const createJobErrors = [...versionErrors, "thread_not_found", "too_many_jobs"] as const;

export type CreateJobDeps = CheckJobDeps & {
  config: Pick<Config, "callbacks" | "encryptionKeys" | "perUser">;
  ticks: Pick<TickQueue, "arm">;
};

/** Makes a job and arms its first tick. Returns the job's id. Throws the errors of an execute request, and conflict. */
export async function createJob(deps: CreateJobDeps, body: JobBody, owner: Owner): Promise<string> {
  const { user_id } = await checkJob(deps, body, owner);
  const next_tick_at = firstTickOf(body, await readClock(deps.db));
  const id = newId("job");
  const columns = jobColumns(deps.config.encryptionKeys, id, body);
  const job = { id, user_id, agent_id: body.agent_id, columns, next_tick_at };
  if (!(await create(deps.db, job, deps.config.perUser.jobs)))
    throw conflict("too_many_jobs", userHasMost("jobs", deps.config.perUser, user_id));
  void deps.ticks.arm(id, next_tick_at);
  return id;
}
