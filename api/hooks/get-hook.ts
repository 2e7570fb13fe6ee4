import { notFound } from "../../shared/domain/errors/app-error.ts";
import { hookParams, hookRecord } from "../../shared/schemas/hook.ts";
import { readHook } from "../../shared/store/hooks/read-hooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getHook = defineOperation({
  method: "get",
  path: "/v1/hooks/{hook_id}",
  name: "get_hook",
  area: "Hooks",
  scope: "hooks:read",
  summary: "A hook",
  description: "Use it for the hook's address, and to see why the last refused request was refused.",
  request: { params: hookParams },
  responses: { 200: { description: "The hook", schema: hookRecord } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { hook_id }, caller }) {
    const body = await readHook(db, hook_id, { owner: caller.owner, publicUrl: config.publicUrl });
    if (!body) throw notFound("hook", hook_id);
    return { status: 200, body };
  },
});
