import { getFleet } from "./admin/get-fleet.ts";
import { createAgent } from "./agents/create-agent.ts";
import type { ApiContext } from "./context.ts";
import { executeAgent } from "./execute/execute-agent.ts";
import type { Operation } from "./http/define-operation.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { completeRun } from "./runs/complete-run.ts";
import { getRunArtifact } from "./runs/get-run-artifact.ts";
import { getRun } from "./runs/get-run.ts";
import { listRunArtifacts } from "./runs/list-run-artifacts.ts";
import { listRunCallbacks } from "./runs/list-run-callbacks.ts";
import { listRunEvents } from "./runs/list-run-events.ts";
import { listRuns } from "./runs/list-runs.ts";
import { redeliverRunCallback } from "./runs/redeliver-run-callback.ts";
import { reportProgress } from "./runs/report-progress.ts";
import { resumeRun } from "./runs/resume-run.ts";
import { streamRun } from "./runs/stream-run.ts";
import { getHealth, getLive, getReady } from "./system/health.ts";
import { getMetrics } from "./system/metrics.ts";
import { rotateSigningSecret } from "./users/rotate-signing-secret.ts";

/** Every operation of the service: the router, the OpenAPI document and the tests take it from here. */
export const operations: readonly Operation<ApiContext>[] = [
  executeAgent,
  createAgent,
  listRuns,
  getRun,
  streamRun,
  listRunEvents,
  listRunCallbacks,
  redeliverRunCallback,
  listRunArtifacts,
  getRunArtifact,
  reportProgress,
  resumeRun,
  completeRun,
  cancelRun,
  rotateSigningSecret,
  getFleet,
  getHealth,
  getLive,
  getReady,
  getMetrics,
];
