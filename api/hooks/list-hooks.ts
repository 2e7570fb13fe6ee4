import { hookListQuery, hookRecord } from "../../shared/schemas/hook.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listHooks as readPage } from "../../shared/store/hooks/read-hooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listHooks = defineOperation({
  method: "get",
  path: "/v1/hooks",
  name: "list_hooks",
  area: "Hooks",
  scope: "hooks:read",
  summary: "Hooks, newest first",
  description: "Secrets are not shown.",
  request: { query: hookListQuery },
  responses: { 200: { description: "A page of hooks", schema: pageOf(hookRecord) } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    const seen = { owner: caller.owner, publicUrl: config.publicUrl };
    return { status: 200, body: await readPage(db, seen, filter, { limit, after, order }) };
  },
});
