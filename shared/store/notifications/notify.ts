import type { NotificationRecord } from "../../schemas/notification.ts";
import { newId } from "../../platform/ids.ts";
import type { Queryable } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { notificationColumns, toNotificationRecord } from "./notification-record.ts";
import { notifyUsers } from "./notify-users.ts";

const news = {
  user_id: t.text,
  type: t.text,
  level: t.word<NotificationRecord["level"]>(),
  title: t.text,
  body: orNull(t.text),
  data: t.json<Record<string, unknown>>(),
  agent_id: orNull(t.text),
  run_id: orNull(t.text),
  /** Names the cause, so that a repeated one doesn't notify twice; null: each call notifies. */
  dedup_key: orNull(t.text),
};

/** What a user is to be notified of. */
export type News = Row<typeof news>;

/**
 * Notifies a user, in the app and through standing webhooks, as the user's preferences have it; within the transaction of
 * `client`, where it has one. Returns null when the user was notified of this `dedup_key` before. Who reads the user's
 * notifications as a stream sees it within a second, or at once when `RunStreams.signalReaders` is called after the commit.
 */
export async function notify(client: Queryable, told: News): Promise<NotificationRecord | null> {
  const row = await insert.first(client, { id: newId("notif"), ...told });
  return row && toNotificationRecord(row);
}

const insert = statement({
  name: "notify",
  takes: { id: t.text, ...news },
  gives: notificationColumns,
  text: sql`
    WITH news AS (
      SELECT $id AS id, $user_id AS user_id, $type AS type, $level AS level, $title AS title, $body AS body,
        $data AS data, $agent_id AS agent_id, $run_id AS run_id, $dedup_key AS dedup_key
    ), ${notifyUsers}
    SELECT ${joined(Object.keys(notificationColumns).map(raw), ", ")} FROM told`,
});
