import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listInternalJobs } from "./list-internal-jobs.ts";
import { runInternalJob } from "./run-internal-job.ts";

export const internalOperations: readonly Operation<ApiContext>[] = [listInternalJobs, runInternalJob];
