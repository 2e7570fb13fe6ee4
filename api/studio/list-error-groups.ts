import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import { errorGroupQuery, errorGroups } from "../../shared/schemas/error-group.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { groupErrors } from "./group-errors.ts";

export const listErrorGroups = defineOperation({
  method: "get",
  path: "/v1/studio/errors",
  name: "list_error_groups",
  area: "Studio",
  scope: "studio:read",
  summary: "The errors of all agents in groups that are alike",
  description:
    "Use it to see what to fix first. Runs that failed, timed out or expired are grouped by their agent, code, exception, message and the function that raised it.",
  request: { query: errorGroupQuery },
  responses: { 200: { description: "The groups", schema: errorGroups } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { limit, state, ...filter }, caller }) {
    const { since, until } = timeRangeOf(filter);
    const { groups, ...looked } = await groupErrors(db, caller.owner, { ...filter, since, until });
    const data = groups.map(({ group }) => group).filter((group) => state === undefined || group.state === state);
    const body = { since: since.toISOString(), until: until.toISOString(), ...looked, data: data.slice(0, limit) };
    return { status: 200, body };
  },
});
