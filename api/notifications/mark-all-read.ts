import { readAllBody, readAnswer } from "../../shared/schemas/notification.ts";
import { markRead } from "../../shared/store/notifications/change-notifications.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";

export const markAllRead = defineOperation({
  method: "post",
  path: "/v1/notifications/read-all",
  name: "read_all_notifications",
  area: "Notifications",
  scope: "notifications:write",
  audit: { none: "A user's own inbox: nothing that runs depends on it." },
  summary: "Mark all notifications as read",
  description: "Marks all notifications of a user, or those of one type.",
  request: { body: readAllBody },
  errors: ["foreign_user_id"],
  responses: { 200: { description: "The number of notifications that were unread", schema: readAnswer } },
  async handle({ db }: Pick<ApiContext, "db">, { body: { user_id, type }, caller }) {
    const changed = await markRead(db, caller.owner, { user_id: ownerOf(caller, user_id), type }, true);
    return { status: 200, body: { changed } };
  },
});
