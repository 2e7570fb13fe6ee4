import { notFound } from "../../shared/domain/errors/app-error.ts";
import { me, userPatch, userRecord } from "../../shared/schemas/user.ts";
import { ensureUser, patchUser } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const updateMe = defineOperation({
  method: "patch",
  path: "/v1/users/me",
  name: "update_me",
  area: "Users",
  scope: "users:write",
  audit: "user",
  summary: "Change your name, email address and metadata",
  description: "The body is a merge patch (RFC 7396).",
  request: { query: me, body: userPatch },
  errors: ["foreign_user_id", "user_not_found"],
  responses: { 200: { description: "The user", schema: userRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { query, body: patch, caller }) {
    const id = ownerOf(caller, query.user_id);
    await ensureUser(db, id);
    const body = await patchUser(db, id, null, patch);
    if (!body) throw notFound("user", id);
    return { status: 200, body };
  },
});
