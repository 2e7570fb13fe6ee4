import { me, type UserRecord, userRecord } from "../../shared/schemas/user.ts";
import { readUser } from "../../shared/store/users/read-users.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const getMe = defineOperation({
  method: "get",
  path: "/v1/users/me",
  name: "get_me",
  area: "Users",
  scope: "users:read",
  summary: "The user that the key belongs to",
  description: "Use it to check a key: whose it is.",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The user", schema: userRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const id = ownerOf(caller, query.user_id);
    return { status: 200, body: (await readUser(db, id, null)) ?? withoutRow(id) };
  },
});

/** Returns the record of a user without a row: one that has only run agents. A read creates no row. */
function withoutRow(id: string): UserRecord {
  const now = new Date().toISOString();
  return { id, object: "user", name: null, email: null, metadata: {}, created_at: now, updated_at: now };
}
