import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { getStudioOverview } from "./get-studio-overview.ts";
import { listStudioAgents } from "./list-studio-agents.ts";
import { getStudioAgentStats } from "./get-studio-agent-stats.ts";
import { listStudioAgentRuns } from "./list-studio-agent-runs.ts";
import { getAgentErrors } from "./get-agent-errors.ts";
import { listErrorGroups } from "./list-error-groups.ts";
import { getErrorGroup } from "./get-error-group.ts";
import { updateErrorGroup } from "./update-error-group.ts";
import { listUsageLog } from "./list-usage-log.ts";
import { getLatencyDistribution } from "./get-latency-distribution.ts";
import { getTokenDistribution } from "./get-token-distribution.ts";
import { getSessionDepth } from "./get-session-depth.ts";
import { exportRuns } from "./export-runs.ts";

export const studioOperations: readonly Operation<ApiContext>[] = [
  getStudioOverview,
  listStudioAgents,
  getStudioAgentStats,
  listStudioAgentRuns,
  getAgentErrors,
  listErrorGroups,
  getErrorGroup,
  updateErrorGroup,
  listUsageLog,
  getLatencyDistribution,
  getTokenDistribution,
  getSessionDepth,
  exportRuns,
];
