import { notificationRecord } from "../../schemas/notification.ts";
import { enqueueWebhooks, nowOnTheWire } from "../outbox/enqueue-webhooks.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";

/** SQL: what a webhook is sent of a notification: its record as it is when it is made, when nobody has read it. */
function recordOf(told: string): Sql {
  const said: Record<string, Sql> = { object: literal("notification"), created_at: nowOnTheWire };
  const fields = Object.keys(notificationRecord.omit({ read_at: true }).shape);
  const pairs = fields.map((field) => sql`${literal(field)}, ${said[field] ?? raw(`${told}.${field}`)}`);
  return sql`json_build_object(${joined(pairs, ", ")})`;
}

/**
 * SQL: the CTEs that notify users of what the CTE `news` holds, in the statement that causes it. `news` has id (`notif_…`),
 * user_id, type, level, title, body, data (json), agent_id, run_id and dedup_key. Rows whose `dedup_key` exists are
 * ignored. `told` has the notifications that were made, `told_enqueued` the messages to webhooks.
 */
export const notifyUsers: Sql = sql`
  heard AS (
    SELECT news.*, coalesce(own.in_app, other.in_app, true) AS in_app, coalesce(own.webhook, other.webhook, true) AS webhook
    FROM news
    LEFT JOIN notification_preferences own ON own.user_id = news.user_id AND own.type = news.type
    LEFT JOIN notification_preferences other ON other.user_id = news.user_id AND other.type = '*'
  ), told AS (
    INSERT INTO notifications (id, user_id, type, level, title, body, data, agent_id, run_id, dedup_key, in_app, read_at)
    SELECT id, user_id, type, level::notification_level, title, body, data, agent_id, run_id, dedup_key, in_app,
      CASE WHEN NOT in_app THEN now() END
    FROM heard ON CONFLICT (user_id, dedup_key) DO NOTHING
    RETURNING *
  ), told_event AS (
    SELECT told.id AS seed, told.user_id, NULL::text AS run_id, told.agent_id, NULL::text[] AS tags,
      'notification.' || told.type AS type,
      json_build_object('type', 'notification.' || told.type, 'timestamp', ${nowOnTheWire}, 'data', ${recordOf("told")})
        AS payload
    FROM told JOIN heard ON heard.id = told.id WHERE heard.webhook
  ), told_enqueued AS (
    ${enqueueWebhooks("told_event")} RETURNING id
  )`;
