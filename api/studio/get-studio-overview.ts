import { seriesQuery, studioFigures, userScope } from "../../shared/schemas/figures.ts";
import { readSeries } from "../../shared/store/analytics/read-series.ts";
import { countOpenRuns } from "../../shared/store/runs/open-runs.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { readSeriesStretch } from "./read-stretch.ts";

export const getStudioOverview = defineOperation({
  method: "get",
  path: "/v1/studio/overview",
  name: "get_studio_overview",
  area: "Studio",
  scope: "studio:read",
  summary: "Figures of all your runs, over time",
  description: "Who sees everybody's things gets everybody's figures, or those of `user_id`.",
  request: { query: seriesQuery.extend(userScope) },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The figures", schema: studioFigures } },
  async handle({ db }: ApiContext, { query, caller }) {
    const user_id = query.user_id === undefined ? caller.owner : ownerOf(caller, query.user_id);
    const stretch = readSeriesStretch(query);
    const [figures, open] = await Promise.all([
      readSeries(db, user_id === null ? { by: "all" } : { by: "user", keys: [user_id] }, stretch),
      countOpenRuns(db, { user_id }),
    ]);
    const { since, until, unit, timezone } = stretch;
    const body = { since: since.toISOString(), until: until.toISOString(), unit, timezone, ...figures, open };
    return { status: 200, body };
  },
});
