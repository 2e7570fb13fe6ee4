import { getFleet } from "./admin/get-fleet.ts";
import { listAgents } from "./agents/list-agents.ts";
import { getAgent } from "./agents/get-agent.ts";
import { updateAgent } from "./agents/update-agent.ts";
import { deleteAgent } from "./agents/delete-agent.ts";
import { listAgentRuns } from "./agents/list-agent-runs.ts";
import { getAgentStats } from "./agents/get-agent-stats.ts";
import { pauseAgent } from "./agents/pause-agent.ts";
import { resumeAgent } from "./agents/resume-agent.ts";
import { listAgentSecrets } from "./agents/list-agent-secrets.ts";
import { putAgentSecret } from "./agents/put-agent-secret.ts";
import { deleteAgentSecret } from "./agents/delete-agent-secret.ts";
import { listVersions } from "./versions/list-versions.ts";
import { createVersion } from "./versions/create-version.ts";
import { getVersion } from "./versions/get-version.ts";
import { updateVersion } from "./versions/update-version.ts";
import { archiveVersion } from "./versions/archive-version.ts";
import { diffVersions } from "./versions/diff-versions.ts";
import { putTag } from "./versions/put-tag.ts";
import { deleteTag } from "./versions/delete-tag.ts";
import { validateRequest } from "./execute/validate-request.ts";
import { listAdapters } from "./execute/list-adapters.ts";
import { executeBatch } from "./execute/execute-batch.ts";
import { createAgent } from "./agents/create-agent.ts";
import type { ApiContext } from "./context.ts";
import { executeAgent } from "./execute/execute-agent.ts";
import type { Operation } from "./http/define-operation.ts";
import { cancelRun } from "./runs/cancel-run.ts";
import { completeRun } from "./runs/complete-run.ts";
import { getRun } from "./runs/get-run.ts";
import { listRunCallbacks } from "./runs/list-run-callbacks.ts";
import { listRunEvents } from "./runs/list-run-events.ts";
import { listRuns } from "./runs/list-runs.ts";
import { redeliverRunCallback } from "./runs/redeliver-run-callback.ts";
import { streamRun } from "./runs/stream-run.ts";
import { getHealth, getLive, getReady } from "./system/health.ts";
import { getMetrics } from "./system/metrics.ts";
import { rotateSigningSecret } from "./users/rotate-signing-secret.ts";

/** Every operation of the service: the router, the OpenAPI document and the tests take it from here. */
export const operations: readonly Operation<ApiContext>[] = [
  executeAgent,
  executeBatch,
  validateRequest,
  listAdapters,
  createAgent,
  listAgents,
  getAgent,
  updateAgent,
  deleteAgent,
  listAgentRuns,
  getAgentStats,
  pauseAgent,
  resumeAgent,
  listAgentSecrets,
  putAgentSecret,
  deleteAgentSecret,
  listVersions,
  createVersion,
  getVersion,
  updateVersion,
  archiveVersion,
  diffVersions,
  putTag,
  deleteTag,
  listRuns,
  getRun,
  streamRun,
  listRunEvents,
  listRunCallbacks,
  redeliverRunCallback,
  completeRun,
  cancelRun,
  rotateSigningSecret,
  getFleet,
  getHealth,
  getLive,
  getReady,
  getMetrics,
];
