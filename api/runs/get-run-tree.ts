import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { addUsage } from "../../shared/domain/run/add-usage.ts";
import { runStatuses } from "../../shared/domain/run/run-status.ts";
import { exampleOf } from "../../shared/schemas/example-of.ts";
import { type Usage, usage } from "../../shared/schemas/run-event.ts";
import { readTree } from "../../shared/store/children/read-tree.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { runParams } from "./run-params.ts";

const treeRun = z
  .object({
    id: z.string(),
    parent_run_id: z.string().nullable(),
    agent_id: z.string(),
    version: z.string(),
    status: z.enum(runStatuses),
    depth: z.number().int().meta({ description: "How many runs are above it." }),
    detached: z.boolean().meta({ description: "Whether it goes on when the run that has started it ends." }),
    usage: usage.nullable().meta({ description: "Its own." }),
    duration_ms: z.number().int().nullable(),
    created_at: z.string(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
  })
  .meta({
    id: "TreeRun",
    example: {
      id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      parent_run_id: null,
      agent_id: "hello-agent",
      version: "1.0.0",
      status: "success",
      depth: 0,
      detached: false,
      usage: { input_tokens: 120 },
      duration_ms: 840,
      created_at: "2026-01-31T09:30:00.000Z",
      started_at: "2026-01-31T09:30:00.040Z",
      completed_at: "2026-01-31T09:30:00.880Z",
    },
  });

const runTree = z
  .object({
    root_run_id: z.string().meta({ description: "The run at the root of the whole tree." }),
    runs: z.number().int().meta({ description: "How many runs there are: this one and all below it." }),
    by_status: z
      .partialRecord(z.enum(runStatuses), z.number().int())
      .meta({ description: "How many of them, by status." }),
    usage: usage.nullable().meta({ description: "Of all of them together." }),
    data: z.array(treeRun).meta({ description: "Those higher up first, at most 1,000." }),
    has_more: z.boolean(),
  })
  .meta({
    id: "RunTree",
    example: {
      root_run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      runs: 1,
      by_status: { success: 1 },
      usage: { input_tokens: 120 },
      data: [exampleOf(treeRun)],
      has_more: false,
    },
  });

const mostShown = 1_000;

export const getRunTree = defineOperation({
  method: "get",
  path: "/v1/runs/{run_id}/tree",
  name: "get_run_tree",
  area: "Runs",
  scope: "runs:read",
  summary: "The runs that a run has started, and what all of them used",
  description:
    "Use it for a run that starts others: it shows the run, those below it, and the usage of all. `GET /v1/runs?parent_run_id=` lists records.",
  request: { params: runParams },
  responses: { 200: { description: "The tree", schema: runTree } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { run_id }, caller }) {
    const rows = await readTree(db, run_id, caller.owner);
    const root = rows.find(({ id }) => id === run_id);
    if (!root) throw notFound("run", run_id);
    const by_status: z.infer<typeof runTree>["by_status"] = {};
    let sum: Usage | null = null;
    for (const { status, usage: used } of rows) {
      by_status[status] = (by_status[status] ?? 0) + 1;
      sum = addUsage(sum, usage.nullable().parse(used));
    }
    const data = rows.slice(0, mostShown).map(toTreeRun);
    const { root_run_id } = root;
    const has_more = rows.length > mostShown;
    return { status: 200, body: { root_run_id, runs: rows.length, by_status, usage: sum, data, has_more } };
  },
});

function toTreeRun(row: Awaited<ReturnType<typeof readTree>>[number]): z.infer<typeof treeRun> {
  const { id, parent_run_id, agent_id, version, status, depth, detached, duration_ms } = row;
  return {
    ...{ id, parent_run_id, agent_id, version, status, depth, detached },
    usage: usage.nullable().parse(row.usage),
    duration_ms,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}
