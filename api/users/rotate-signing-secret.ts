import { z } from "zod";
import { clientId } from "../../shared/schemas/primitives.ts";
import { rotateSigningSecret as rotate } from "../../shared/store/users/signing-secrets.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const rotateSigningSecret = defineOperation({
  method: "post",
  path: "/v1/users/me/callback-secret",
  name: "rotate_callback_secret",
  area: "Users",
  scope: "users:write",
  idempotent: true,
  audit: "user",
  summary: "Create a new secret for callback signatures",
  description:
    "The secret is only shown in this answer. Callbacks are also signed with the two secrets before for 24 hours, so that receivers can switch.",
  request: {
    body: z
      .object({ user_id: clientId().nullish().meta({ description: "The owner of the agents. Left out: the caller." }) })
      .default({})
      .meta({ example: { user_id: "ada" } }),
  },
  errors: ["foreign_user_id"],
  responses: {
    201: {
      description: "The secret",
      schema: z.object({ secret: z.string() }).meta({ id: "CallbackSecret", example: { secret: "whsec_…" } }),
    },
  },
  async handle({ db, config }: Pick<ApiContext, "config" | "db">, { body, caller }) {
    return { status: 201, body: { secret: await rotate(db, config.encryptionKeys, ownerOf(caller, body.user_id)) } };
  },
});
