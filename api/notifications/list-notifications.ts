import { notificationListQuery, notificationRecord } from "../../shared/schemas/notification.ts";
import { pageOf } from "../../shared/schemas/primitives.ts";
import { listNotifications as readPage } from "../../shared/store/notifications/read-notifications.ts";
import type { ApiContext } from "../context.ts";
import { defineOperation } from "../http/define-operation.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

export const listNotifications = defineOperation({
  method: "get",
  path: "/v1/notifications",
  name: "list_notifications",
  area: "Notifications",
  scope: "notifications:read",
  summary: "Notifications, newest first",
  description:
    "Notifications are made when a run fails, takes too long or asks a question, a daemon fails or is rolled back, a callback is given up, a webhook is disabled, a spend limit is reached, for payments, and by `POST /v1/notifications`.",
  request: { query: notificationListQuery },
  responses: { 200: { description: "A page of notifications", schema: pageOf(notificationRecord) } },
  async handle({ db }: Pick<ApiContext, "db">, { query, caller }) {
    const { limit, after, order, ...filter } = query;
    const page = await readPage(db, caller.owner, filter, { limit, after, order });
    return { status: 200, body: { ...page, data: page.data.map((one) => hideAnswerUrls(caller, one)) } };
  },
});
