import { clientId, pageOf, pageQuery } from "../../shared/schemas/primitives.ts";
import { apiKeyRecord, me } from "../../shared/schemas/user.ts";
import { listApiKeys as readPage } from "../../shared/store/users/api-keys.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const listApiKeys = defineOperation({
  method: "get",
  path: "/v1/users/me/api-keys",
  name: "list_api_keys",
  area: "Users",
  scope: "users:read",
  summary: "Your keys, without their secrets",
  description: "Use it to find keys that nobody uses or that expire soon, and the links by which a run is shared.",
  request: {
    query: pageQuery.extend({
      ...me.shape,
      run_id: clientId().optional().meta({ description: "Only the read tokens of this run." }),
    }),
  },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "A page of keys", schema: pageOf(apiKeyRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query: { user_id, run_id, ...page }, caller }) {
    return { status: 200, body: await readPage(db, { user_id: ownerOf(caller, user_id), run_id }, page) };
  },
});
