import { z } from "zod";
import { notFound } from "../../shared/domain/errors/app-error.ts";
import { text } from "../../shared/schemas/primitives.ts";
import { revokeApiKey as revoke } from "../../shared/store/users/api-keys.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const revokeApiKey = defineOperation({
  method: "delete",
  path: "/v1/users/me/api-keys/{key_id}",
  name: "revoke_api_key",
  area: "Users",
  scope: "users:write",
  audit: "key",
  summary: "Revoke an API key",
  description: "The key is refused from now on. Its record is not deleted.",
  request: {
    params: z.object({ key_id: text({ max: 512 }).meta({ example: "key_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }) }),
  },
  responses: { 204: { description: "Revoked" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { key_id }, caller }) {
    if (!(await revoke(db, key_id, caller.owner))) throw notFound("key", key_id);
    return { status: 204 };
  },
});
