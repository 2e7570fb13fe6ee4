import { notFound } from "../../shared/domain/errors/app-error.ts";
import { notificationParams, notificationPut, notificationRecord } from "../../shared/schemas/notification.ts";
import { markRead } from "../../shared/store/notifications/change-notifications.ts";
import { readNotification } from "../../shared/store/notifications/read-notifications.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

export const updateNotification = defineOperation({
  method: "put",
  path: "/v1/notifications/{notification_id}",
  name: "update_notification",
  area: "Notifications",
  scope: "notifications:write",
  audit: { none: "A user's own inbox: nothing that runs depends on it." },
  summary: "Mark a notification as read or unread",
  description: "A notification that is read already keeps its `read_at`.",
  request: { params: notificationParams, body: notificationPut },
  errors: ["notification_not_found"],
  responses: { 200: { description: "The notification", schema: notificationRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { notification_id }, body: { read }, caller }) {
    await markRead(db, caller.owner, { ids: [notification_id] }, read);
    const body = await readNotification(db, notification_id, caller.owner);
    if (!body) throw notFound("notification", notification_id);
    return { status: 200, body: hideAnswerUrls(caller, body) };
  },
});
