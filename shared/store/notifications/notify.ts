import type pg from "pg";
import type { NotificationRecord } from "../../schemas/notification.ts";
import { newId } from "../../platform/ids.ts";
import type { Notification } from "../generated/client.ts";
import { toNotificationRecord } from "./notification-record.ts";
import { tellUsers } from "./tell-users.ts";

/** What a user is to hear of. */
export type News = {
  user_id: string;
  type: string;
  level: NotificationRecord["level"];
  title: string;
  body: string | null;
  data: Record<string, unknown>;
  agent_id: string | null;
  run_id: string | null;
  /** Names the cause, so that a repeated one doesn't notify twice; null: each call notifies. */
  dedup_key: string | null;
};

/**
 * Tells a user something: in the app and through standing webhooks, as his preferences have it, in one statement; within
 * the transaction of `client`, where it has one. Null: he was told of this `dedup_key` already. Readers of his stream see
 * it within a second, or at once when they are rung (`RunStreams.tellReaders`) after the commit.
 */
export async function notify(client: Pick<pg.ClientBase, "query">, news: News): Promise<NotificationRecord | null> {
  const { user_id, type, level, title, body, data, agent_id, run_id, dedup_key } = news;
  const values = [newId("notif"), user_id, type, level, title, body, JSON.stringify(data), agent_id, run_id, dedup_key];
  const { rows } = await client.query<Notification>({ ...statement, values });
  return rows[0] ? toNotificationRecord(rows[0]) : null;
}

const statement = {
  name: "notify",
  text: `
    WITH news AS (
      SELECT $1::text AS id, $2::text AS user_id, $3::text AS type, $4::text AS level, $5::text AS title,
        $6::text AS body, $7::json AS data, $8::text AS agent_id, $9::text AS run_id, $10::text AS dedup_key
    ), ${tellUsers}
    SELECT * FROM told`,
};
