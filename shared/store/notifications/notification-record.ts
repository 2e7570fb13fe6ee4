import { type NotificationRecord, notificationRecord } from "../../schemas/notification.ts";
import type { Notification } from "../generated/client.ts";

type Row = Omit<Notification, "xact" | "in_app">;

export function toNotificationRecord({ created_at, read_at, ...row }: Row): NotificationRecord {
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
