import { notFound } from "../../shared/domain/errors/app-error.ts";
import { notificationParams } from "../../shared/schemas/notification.ts";
import { deleteNotification as remove } from "../../shared/store/notifications/change-notifications.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";

export const deleteNotification = defineOperation({
  method: "delete",
  path: "/v1/notifications/{notification_id}",
  name: "delete_notification",
  area: "Notifications",
  scope: "notifications:write",
  audit: { none: "A user's own inbox: nothing that runs depends on it." },
  summary: "Delete a notification",
  description: "A deleted notification can't be restored. Its `dedup_key` can be used again.",
  request: { params: notificationParams },
  responses: { 204: { description: "Deleted" } },
  async handle({ db }: Pick<ApiContext, "db">, { params: { notification_id }, caller }) {
    if (!(await remove(db, notification_id, caller.owner))) throw notFound("notification", notification_id);
    return { status: 204 };
  },
});
