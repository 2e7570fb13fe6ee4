import { notFound } from "../../shared/domain/errors/app-error.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";
import { hookParams, newHook, rotateHookBody } from "../../shared/schemas/hook.ts";
import { rotateHookSecret as rotate } from "../../shared/store/hooks/change-hook.ts";
import { readHook } from "../../shared/store/hooks/read-hooks.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { chooseSecret, shownSecret } from "./choose-secret.ts";

export const rotateHookSecret = defineOperation({
  method: "post",
  path: "/v1/hooks/{hook_id}/rotate",
  name: "rotate_hook_secret",
  area: "Hooks",
  scope: "hooks:write",
  idempotent: true,
  audit: "hook",
  summary: "Give a hook another secret",
  description:
    "Sets the secret that the sender made, or makes one, which is only shown in this answer. The previous secret is accepted for `overlap_ms`, so that the sender can switch.",
  request: { params: hookParams, body: rotateHookBody.default({ overlap_ms: 24 * 3_600_000 }) },
  responses: { 201: { description: "The hook and, if the service made it, its secret", schema: newHook } },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { params: { hook_id }, body, caller }) {
    const seen = { owner: caller.owner, publicUrl: config.publicUrl };
    const hook = await readHook(db, hook_id, seen);
    if (!hook) throw notFound("hook", hook_id);
    const secret = chooseSecret(hook.verify, body.secret);
    if (!secret)
      throw new ValidationFault([
        { type: "missing", loc: ["body", "secret"], msg: `Field required: ${hook.verify} makes its secret itself` },
      ]);
    const { overlap_ms } = body;
    await rotate(db, config.encryptionKeys, { hook_id, secret: secret.text, overlap_ms }, caller.owner);
    const rotated = await readHook(db, hook_id, seen);
    if (!rotated) throw notFound("hook", hook_id);
    return { status: 201, body: { ...rotated, secret: shownSecret(secret) } };
  },
});
