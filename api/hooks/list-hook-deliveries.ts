import { notFound } from "../../shared/domain/errors/app-error.ts";
import { hookDelivery, hookDeliveryQuery, hookParams } from "../../shared/schemas/hook.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listHookDeliveries as readPage } from "../../shared/store/hooks/list-hook-deliveries.ts";
import { readHook } from "../../shared/store/hooks/read-hooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listHookDeliveries = defineOperation({
  method: "get",
  path: "/v1/hooks/{hook_id}/deliveries",
  name: "list_hook_deliveries",
  area: "Hooks",
  scope: "hooks:read",
  summary: "A hook's deliveries, newest first",
  description:
    "Lists the signed requests with what came of each. Requests with an invalid signature are no deliveries: the hook's `last_refusal` tells of the last one.",
  request: { params: hookParams, query: hookDeliveryQuery },
  responses: { 200: { description: "A page of deliveries", schema: pageOf(hookDelivery) } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { hook_id }, query, caller }) {
    if (!(await readHook(db, hook_id, { owner: caller.owner, publicUrl: config.publicUrl })))
      throw notFound("hook", hook_id);
    const { limit, after, order, ...filter } = query;
    return { status: 200, body: await readPage(db, hook_id, filter, { limit, after, order }) };
  },
});
