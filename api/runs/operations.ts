import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { listInterrupts } from "./list-interrupts.ts";
import { listRuns } from "./list-runs.ts";
import { getRun } from "./get-run.ts";
import { deleteRun } from "./delete-run.ts";
import { streamRun } from "./stream-run.ts";
import { listRunEvents } from "./list-run-events.ts";
import { listRunLogs } from "./list-run-logs.ts";
import { listRunTimeline } from "./list-run-timeline.ts";
import { listRunCallbacks } from "./list-run-callbacks.ts";
import { redeliverRunCallback } from "./redeliver-run-callback.ts";
import { listRunArtifacts } from "./list-run-artifacts.ts";
import { getRunArtifact } from "./get-run-artifact.ts";
import { reportProgress } from "./report-progress.ts";
import { resumeRun } from "./resume-run.ts";
import { completeRun } from "./complete-run.ts";
import { cancelRun } from "./cancel-run.ts";

export const runsOperations: readonly Operation<ApiContext>[] = [
  listRuns,
  listInterrupts,
  getRun,
  deleteRun,
  streamRun,
  listRunEvents,
  listRunLogs,
  listRunTimeline,
  listRunCallbacks,
  redeliverRunCallback,
  listRunArtifacts,
  getRunArtifact,
  reportProgress,
  resumeRun,
  completeRun,
  cancelRun,
];
