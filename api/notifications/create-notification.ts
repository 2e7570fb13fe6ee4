import { conflict } from "../../shared/domain/errors/app-error.ts";
import { notificationBody, notificationRecord } from "../../shared/schemas/notification.ts";
import { notify } from "../../shared/store/notifications/notify.ts";
import { readToldOf } from "../../shared/store/notifications/read-notifications.ts";
import type { ApiContext } from "../context.ts";
import { ownerOf } from "../http/caller.ts";
import { defineOperation } from "../http/define-operation.ts";
import { hideAnswerUrls } from "../http/hide-answer-urls.ts";

export const createNotification = defineOperation({
  method: "post",
  path: "/v1/notifications",
  name: "create_notification",
  area: "Notifications",
  scope: "notifications:write",
  idempotent: true,
  audit: "notification",
  summary: "Notify a user",
  description:
    "The notification appears in the app and is sent to the webhooks that subscribe to `notification.<type>`, as the user's preferences say. A `dedup_key` that was used before creates nothing; the answer is the existing notification (200).",
  request: { body: notificationBody },
  errors: ["foreign_user_id", "notification_gone"],
  responses: {
    200: { description: "The existing notification with this dedup_key", schema: notificationRecord },
    201: { description: "The notification", schema: notificationRecord },
  },
  async handle({ db, streams }: Pick<ApiContext, "db" | "streams">, { body, caller }) {
    const user_id = ownerOf(caller, body.user_id);
    const { type, level, title } = body;
    const dedup_key = body.dedup_key ?? null;
    const made = await notify(db.sql, {
      ...{ user_id, type, level, title, dedup_key },
      body: body.body ?? null,
      data: body.data ?? {},
      agent_id: body.agent_id ?? null,
      run_id: body.run_id ?? null,
    });
    if (made) {
      // A lost signal is harmless: the readers poll every second.
      await streams.signalReaders(user_id).catch(() => undefined);
      return { status: 201, body: made };
    }
    const existing = dedup_key === null ? null : await readToldOf(db, user_id, dedup_key);
    if (!existing)
      throw conflict(
        "notification_gone",
        "The notification with this dedup_key was deleted at the same time. Send the request again.",
      );
    return { status: 200, body: hideAnswerUrls(caller, existing) };
  },
});
