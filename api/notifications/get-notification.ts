import { notFound } from "../../shared/domain/errors/app-error.ts";
import { notificationParams, notificationRecord } from "../../shared/schemas/notification.ts";
import { readNotification } from "../../shared/store/notifications/read-notifications.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

export const getNotification = defineOperation({
  method: "get",
  path: "/v1/notifications/{notification_id}",
  name: "get_notification",
  area: "Notifications",
  scope: "notifications:read",
  summary: "A notification",
  description: "Reading it here does not mark it as read.",
  request: { params: notificationParams },
  responses: { 200: { description: "The notification", schema: notificationRecord } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { notification_id }, caller }) {
    const body = await readNotification(db, notification_id, caller.owner);
    if (!body) throw notFound("notification", notification_id);
    return { status: 200, body: hideAnswerUrls(caller, body) };
  },
});
