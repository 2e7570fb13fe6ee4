import { readAnswer, readBody } from "../../shared/schemas/notification.ts";
import { markRead as mark } from "../../shared/store/notifications/change-notifications.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const markRead = defineOperation({
  method: "post",
  path: "/v1/notifications/read",
  name: "read_notifications",
  area: "Notifications",
  scope: "notifications:write",
  audit: { none: "A user's own inbox: nothing that runs depends on it." },
  summary: "Mark notifications as read",
  description: "Ids of other users' or of read notifications are ignored.",
  request: { body: readBody },
  responses: { 200: { description: "The number of notifications that were unread", schema: readAnswer } },
  async handle({ db }: Pick<ApiContext, "db">, { body: { ids }, caller }) {
    return { status: 200, body: { changed: await mark(db, caller.owner, { ids }, true) } };
  },
});
