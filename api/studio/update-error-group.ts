import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import {
  errorGroupDetails,
  errorGroupParams,
  errorGroupPatch,
  errorGroupRange,
} from "../../shared/schemas/error-group.ts";
import { decideOnErrors, reopenErrors } from "../../shared/store/runs/errors/error-groups.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { findErrorGroup } from "./find-error-group.ts";

export const updateErrorGroup = defineOperation({
  method: "patch",
  path: "/v1/studio/errors/{fingerprint}",
  name: "update_error_group",
  area: "Studio",
  scope: "agents:write",
  audit: { target: "error_group", detail: ({ body: { state } }) => ({ state }) },
  summary: "Resolve, ignore or open a group of errors",
  description: "Use it to tell what is fixed from what is new: a resolved group opens by itself when it comes back.",
  request: { params: errorGroupParams, query: errorGroupRange, body: errorGroupPatch },
  errors: ["error_group_not_found", "agent_not_found"],
  responses: { 200: { description: "The group", schema: errorGroupDetails } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { fingerprint }, query, body: { state }, caller }) {
    const wanted = { fingerprint, ...timeRangeOf(query) };
    const { agent_id } = await findErrorGroup(db, caller.owner, wanted);
    if (state === "open") await reopenErrors(db, { agent_id, fingerprint });
    else if (!(await decideOnErrors(db, { agent_id, fingerprint }, { state, changed_by: caller.actor })))
      throw notFound("agent", agent_id);
    return { status: 200, body: await findErrorGroup(db, caller.owner, wanted) };
  },
});
