import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import { errorGroupDetails, errorGroupParams, errorGroupRange } from "../../shared/schemas/error-group.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findErrorGroup } from "./find-error-group.ts";

export const getErrorGroup = defineOperation({
  method: "get",
  path: "/v1/studio/errors/{fingerprint}",
  name: "get_error_group",
  area: "Studio",
  scope: "studio:read",
  summary: "A group of errors that are alike, with its runs",
  description: "Use it to see where the newest run failed, and which runs to run again.",
  request: { params: errorGroupParams, query: errorGroupRange },
  errors: ["error_group_not_found"],
  responses: { 200: { description: "The group", schema: errorGroupDetails } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { fingerprint }, query, caller }) {
    return { status: 200, body: await findErrorGroup(db, caller.owner, { fingerprint, ...timeRangeOf(query) }) };
  },
});
