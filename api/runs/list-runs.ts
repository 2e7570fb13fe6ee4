import { runStatuses } from "../../shared/run/run-status.ts";
import { choice, clientId, pageOf, pageQuery, text, timestamp } from "../../shared/schemas/primitives.ts";
import { runRecord } from "../../shared/schemas/run.ts";
import { listRuns as readPage } from "../../shared/store/runs/list-runs.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listRuns = defineOperation({
  method: "get",
  path: "/v1/runs",
  name: "list_runs",
  area: "Runs",
  summary: "Runs, newest first",
  request: {
    query: pageQuery.extend({
      status: choice(runStatuses).optional(),
      agent_id: clientId().optional(),
      version: text({ max: 128 }).optional(),
      user_id: clientId().optional(),
      thread_id: clientId().optional(),
      since: timestamp().optional().meta({ description: "Made at or after this time." }),
      until: timestamp().optional().meta({ description: "Made before this time." }),
    }),
  },
  responses: { 200: { description: "A page of runs", schema: pageOf(runRecord) } },
  async handle({ db }: ApiContext, { query }) {
    const { limit, after, order, ...filter } = query;
    const { data, has_more } = await readPage(db, filter, { limit, after, order });
    return { status: 200, body: { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null } };
  },
});
