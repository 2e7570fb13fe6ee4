import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { agentParams, agentRecord, pauseBody } from "../../shared/schemas/agent.ts";
import { setAgentStatus } from "../../shared/store/agents/change-agent.ts";
import { readAgent } from "../../shared/store/agents/list-agents.ts";
import { findActiveRuns } from "../../shared/store/runs/read/active-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { cancelRuns } from "../../shared/services/runs/cancel-run.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";

const atOnce = 50;

export const pauseAgent = defineOperation({
  method: "post",
  path: "/v1/agents/{agent_id}/pause",
  name: "pause_agent",
  area: "Agents",
  scope: "agents:write",
  audit: "agent",
  summary: "Pause an agent: the kill switch",
  description:
    "New runs are refused (409). Queued runs wait until the agent is resumed, at most for their `queue_ttl_ms`: then they expire. Running runs continue, unless `cancel_runs` is true.",
  request: { params: agentParams, body: pauseBody },
  responses: {
    200: {
      description: "The agent, and the number of cancelled runs",
      schema: agentRecord
        .extend({ cancelled_runs: z.number().int() })
        .meta({ id: "PausedAgent", example: { ...exampleOf(agentRecord), status: "paused", cancelled_runs: 2 } }),
    },
  },
  async handle(
    ctx: Pick<ApiContext, "db" | "streams" | "queue">,
    { params: { agent_id }, body: { cancel_runs }, caller },
  ) {
    if (!(await setAgentStatus(ctx.db, agent_id, caller.owner, "paused"))) throw notFound("agent", agent_id);
    const cancelled_runs = cancel_runs ? await cancelOpenRuns(ctx, agent_id, caller.actor) : 0;
    const agent = await readAgent(ctx.db, agent_id, caller.owner);
    if (!agent) throw notFound("agent", agent_id);
    return { status: 200, body: { ...agent, cancelled_runs } };
  },
});

async function cancelOpenRuns(
  ctx: Pick<ApiContext, "db" | "streams" | "queue">,
  agentId: string,
  actor: string,
): Promise<number> {
  for (let cancelled = 0; ;) {
    const open = await findActiveRuns(ctx.db, agentId, atOnce);
    if (open.length === 0) return cancelled;
    await cancelRuns(ctx, open, { owner: null, actor });
    cancelled += open.length;
  }
}
