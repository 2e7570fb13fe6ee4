import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { countRuns } from "./count-runs.ts";
import { updateRun } from "./update-run.ts";
import { listInterrupts } from "./list-interrupts.ts";
import { listRuns } from "./list-runs.ts";
import { getRun } from "./get-run.ts";
import { getRunJournal } from "./get-run-journal.ts";
import { deleteRun } from "./delete-run.ts";
import { streamRunChanges } from "./stream-run-changes.ts";
import { streamRun } from "./stream-run.ts";
import { listRunEvents } from "./list-run-events.ts";
import { listRunLogs } from "./list-run-logs.ts";
import { listRunSteps } from "./list-run-steps.ts";
import { listRunTimeline } from "./list-run-timeline.ts";
import { getRunTree } from "./get-run-tree.ts";
import { listRunCalls } from "./list-run-calls.ts";
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
  countRuns,
  streamRunChanges,
  listInterrupts,
  getRun,
  updateRun,
  deleteRun,
  streamRun,
  listRunEvents,
  listRunLogs,
  listRunTimeline,
  listRunSteps,
  getRunJournal,
  getRunTree,
  listRunCalls,
  listRunCallbacks,
  redeliverRunCallback,
  listRunArtifacts,
  getRunArtifact,
  reportProgress,
  resumeRun,
  completeRun,
  cancelRun,
];
