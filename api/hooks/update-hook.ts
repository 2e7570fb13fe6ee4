import { notFound } from "../../shared/domain/errors/app-error.ts";
import { hookParams, hookPatch, hookRecord } from "../../shared/schemas/hook.ts";
import { resolveVersion } from "../../shared/store/agents/resolve-version.ts";
import { patchHook } from "../../shared/store/hooks/change-hook.ts";
import { toHookRecord } from "../../shared/store/hooks/hook-record.ts";
import { readHook } from "../../shared/store/hooks/read-hooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { checkSignature } from "./check-signature-rule.ts";

export const updateHook = defineOperation({
  method: "patch",
  path: "/v1/hooks/{hook_id}",
  name: "update_hook",
  area: "Hooks",
  scope: "hooks:write",
  audit: "hook",
  summary: "Change a hook",
  description:
    "The body is a merge patch (RFC 7396), but for `filter`, `map`, `signal` and `signature`, which are replaced as a whole. Later deliveries and replays follow it. The agent and the scheme can't be changed: make another hook.",
  request: { params: hookParams, body: hookPatch },
  errors: ["hook_not_found", "version_not_found"],
  responses: { 200: { description: "The hook", schema: hookRecord } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { hook_id }, body: patch, caller }) {
    const hook = await readHook(db, hook_id, { owner: caller.owner, publicUrl: config.publicUrl });
    if (!hook) throw notFound("hook", hook_id);
    if (patch.signature !== undefined) checkSignature(hook.verify, patch.signature);
    const { version } = patch;
    if (version !== undefined && "missing" in (await resolveVersion(db, hook.agent_id, version, caller.owner)))
      throw notFound("version", version);
    const row = await patchHook(db, hook_id, caller.owner, patch);
    if (!row) throw notFound("hook", hook_id);
    return { status: 200, body: toHookRecord(row, config.publicUrl) };
  },
});
