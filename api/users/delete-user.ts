import { conflict, notFound } from "../../shared/domain/errors/app-error.ts";
import { userParams } from "../../shared/schemas/user.ts";
import { deleteUser as remove } from "../../shared/store/users/change-user.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteUser = defineOperation({
  method: "delete",
  path: "/v1/users/{user_id}",
  name: "delete_user",
  area: "Users",
  scope: "users:write",
  audit: "user",
  summary: "Delete a user",
  description:
    "Revokes the user's keys and deletes name, email address and metadata. 409 while the user has agents, or a subscription for which the payment provider charges.",
  request: { params: userParams },
  errors: ["user_has_agents", "user_has_subscription"],
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { user_id }, caller }) {
    const done = await remove(db, user_id, caller.owner);
    if (done === "missing") throw notFound("user", user_id);
    if (done === "has_agents") throw conflict("user_has_agents", "The user has agents. Delete them first.");
    if (done === "has_subscription")
      throw conflict(
        "user_has_subscription",
        "The payment provider charges for the user's subscription. Cancel it first.",
      );
    return { status: 204 };
  },
});
