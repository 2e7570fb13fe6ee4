import { raw, type Sql, sql } from "../sql.ts";

/**
 * SQL: inserts a message for each active webhook that asks for the events in the CTE `events` and belongs to their user.
 * The CTE has `seed` (an id of ours: the messages' ids are made of it, so that a repeat makes the same ones), user_id,
 * run_id, type and payload (null: the run's record as it is when it is sent). A user without webhooks costs a probe of
 * their index.
 */
export const enqueueWebhooks = (events: string): Sql => sql`
  INSERT INTO outbox (id, user_id, run_id, webhook_id, type, payload, url)
  SELECT 'msg_' || substr(right(e.seed, 32), 1, 12) || substr(md5(e.seed || w.id), 1, 20),
    e.user_id, e.run_id, w.id, e.type, e.payload, w.url
  FROM ${raw(events)} AS e JOIN webhooks AS w ON w.user_id = e.user_id
  WHERE w.status = 'active' AND w.events && ARRAY['*', split_part(e.type, '.', 1) || '.*', e.type]`;

/** SQL: the time of this statement as the wire has times. */
export const nowOnTheWire = sql`to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
