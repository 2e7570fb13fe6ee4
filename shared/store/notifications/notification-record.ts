import { type NotificationRecord, notificationRecord } from "../../schemas/notification.ts";
import { orNull, t } from "../columns.ts";
import type { Notification } from "../generated/client.ts";

/** The columns of `notifications` that a notification's record is made from. */
export const notificationColumns = {
  id: t.text,
  user_id: t.text,
  type: t.text,
  level: t.enumeration<NotificationRecord["level"]>("notification_level"),
  title: t.text,
  body: orNull(t.text),
  data: t.json(),
  agent_id: orNull(t.text),
  run_id: orNull(t.text),
  dedup_key: orNull(t.text),
  created_at: t.timestamptz,
  read_at: orNull(t.timestamptz),
};

type NotificationRow = Pick<Notification, Exclude<keyof typeof notificationColumns, "data">> & { data: unknown };

export function toNotificationRecord({ created_at, read_at, ...row }: NotificationRow): NotificationRecord {
  return {
    id: row.id,
    object: "notification",
    user_id: row.user_id,
    type: row.type,
    level: row.level,
    title: row.title,
    body: row.body,
    data: notificationRecord.shape.data.parse(row.data),
    agent_id: row.agent_id,
    run_id: row.run_id,
    dedup_key: row.dedup_key,
    created_at: created_at.toISOString(),
    read_at: read_at?.toISOString() ?? null,
  };
}
