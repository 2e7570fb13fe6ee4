import { unreadCount } from "../../shared/schemas/notification.ts";
import { me } from "../../shared/schemas/user.ts";
import { countUnread as count } from "../../shared/store/notifications/read-notifications.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const countUnread = defineOperation({
  method: "get",
  path: "/v1/notifications/count",
  name: "count_notifications",
  area: "Notifications",
  scope: "notifications:read",
  summary: "The number of unread notifications",
  description: "The number that a user interface shows on its bell.",
  request: { query: me },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The count", schema: unreadCount } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    return { status: 200, body: { unread: await count(db, ownerOf(caller, query.user_id)) } };
  },
});
