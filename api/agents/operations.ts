import type { ApiContext } from "../context.ts";
import type { Operation } from "../http/define-operation.ts";
import { createAgent } from "./create-agent.ts";
import { listAgents } from "./list-agents.ts";
import { getAgent } from "./get-agent.ts";
import { updateAgent } from "./update-agent.ts";
import { deleteAgent } from "./delete-agent.ts";
import { listAgentRuns } from "./list-agent-runs.ts";
import { getAgentStats } from "./get-agent-stats.ts";
import { pauseAgent } from "./pause-agent.ts";
import { resumeAgent } from "./resume-agent.ts";
import { listAgentSecrets } from "./list-agent-secrets.ts";
import { putAgentSecret } from "./put-agent-secret.ts";
import { deleteAgentSecret } from "./delete-agent-secret.ts";

export const agentsOperations: readonly Operation<ApiContext>[] = [
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
];
