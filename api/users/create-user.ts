import { conflict } from "../../shared/domain/errors/app-error.ts";
import { newId } from "../../shared/platform/ids.ts";
import { userBody, userRecord } from "../../shared/schemas/user.ts";
import { createUser as create } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const createUser = defineOperation({
  method: "post",
  path: "/v1/users",
  name: "create_user",
  area: "Users",
  scope: "admin",
  idempotent: true,
  audit: "user",
  summary: "Create a user",
  description:
    "A user is also created when an agent names it as its owner. This operation sets a name and an email address.",
  request: { body: userBody },
  errors: ["user_exists"],
  responses: { 201: { description: "The user", schema: userRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { body: { id, ...profile } }) {
    const body = await create(db, id ?? newId("user"), profile);
    if (!body)
      throw conflict("user_exists", `The user id '${id}' is in use, or was a deleted user's. Choose another id.`);
    return { status: 201, body };
  },
});
