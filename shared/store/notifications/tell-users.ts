import { nowOnTheWire, owedColumns, owedToWebhooks } from "../outbox/owe-webhooks.ts";

/**
 * SQL: the CTEs that tell users of what the CTE `news` holds, in the statement that causes it. `news` has id (`notif_…`),
 * user_id, type, level, title, body, data (json), agent_id, run_id and dedup_key. A key that the user was told of already
 * does nothing. What was told is in `told`.
 */
export const tellUsers = `
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
    SELECT told.id AS seed, told.user_id, NULL::text AS run_id, 'notification.' || told.type AS type,
      json_build_object('type', 'notification.' || told.type, 'timestamp', ${nowOnTheWire}, 'data',
        json_build_object('id', told.id, 'object', 'notification', 'user_id', told.user_id, 'type', told.type,
          'level', told.level, 'title', told.title, 'body', told.body, 'data', told.data, 'agent_id', told.agent_id,
          'run_id', told.run_id, 'dedup_key', told.dedup_key, 'created_at', ${nowOnTheWire})) AS payload
    FROM told JOIN heard ON heard.id = told.id WHERE heard.webhook
  ), told_owed AS (
    INSERT INTO outbox (${owedColumns}) ${owedToWebhooks("told_event")} RETURNING id
  )`;
