import { notFound } from "../../shared/domain/errors/app-error.ts";
import { hookParams } from "../../shared/schemas/hook.ts";
import { deleteHook as remove } from "../../shared/store/hooks/change-hook.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteHook = defineOperation({
  method: "delete",
  path: "/v1/hooks/{hook_id}",
  name: "delete_hook",
  area: "Hooks",
  scope: "hooks:write",
  audit: "hook",
  summary: "Delete a hook",
  description: "Deletes the hook with its secrets and deliveries. Its runs stay. Later deliveries are answered 404.",
  request: { params: hookParams },
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { hook_id }, caller }) {
    if (!(await remove(db, hook_id, caller.owner))) throw notFound("hook", hook_id);
    return { status: 204 };
  },
});
