import { z } from "zod";
import { clientId } from "../../shared/schemas/primitives.ts";
import { rotateSigningSecret as rotate } from "../../shared/store/users/signing-secrets.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const rotateSigningSecret = defineOperation({
  method: "post",
  path: "/v1/users/me/callback-secret",
  name: "rotate_callback_secret",
  area: "Users",
  summary: "A new secret for the signatures of callbacks",
  description: "Shown this once. The one before signs along for 24 hours, so that receivers can change over.",
  request: {
    body: z
      .object({ user_id: clientId().default("public").meta({ description: "The owner of the agents." }) })
      .default({ user_id: "public" }),
  },
  responses: {
    201: { description: "The secret", schema: z.object({ secret: z.string() }).meta({ id: "CallbackSecret" }) },
  },
  async handle({ db, config }: ApiContext, { body }) {
    return { status: 201, body: { secret: await rotate(db, config.encryptionKeys, body.user_id) } };
  },
});
