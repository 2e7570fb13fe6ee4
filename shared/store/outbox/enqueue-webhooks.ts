import { transitions } from "../../domain/run/transitions.ts";
import { joined, literal, raw, type Sql, sql } from "../sql.ts";
import { namedEvents } from "../webhooks/wanted-events.ts";

/**
 * SQL: inserts a message for each active webhook that asks for the events in the CTE `events` and belongs to their user.
 * The CTE has `seed` (an id of ours: the messages' ids are made of it, so that a repeat makes the same ones), user_id,
 * run_id, agent_id, tags (the run's), type and payload (null: the run's record as it is when it is sent). A user without webhooks costs a
 * probe of their index.
 */
export const enqueueWebhooks = (events: string): Sql => sql`
  INSERT INTO outbox (id, user_id, run_id, webhook_id, type, payload, url)
  SELECT 'msg_' || substr(right(e.seed, 32), 1, 12) || substr(md5(e.seed || w.id), 1, 20),
    e.user_id, e.run_id, w.id, e.type, e.payload, w.url
  FROM ${raw(events)} AS e JOIN webhooks AS w ON w.user_id = e.user_id
  WHERE w.status = 'active' AND w.events && CASE WHEN e.type IN (${joined(namedEvents.map(literal), ", ")})
      THEN ARRAY[e.type] ELSE ARRAY['*', split_part(e.type, '.', 1) || '.*', e.type] END
    AND (w.agent_ids = '{}' OR e.agent_id = ANY(w.agent_ids))
    AND (w.statuses = '{}' OR e.type NOT LIKE 'run.%' OR ${statusOfEvent} = ANY(w.statuses))
    AND (w.tags = '{}' OR e.type NOT LIKE 'run.%' OR e.tags && w.tags)`;

/** SQL: the status of a run's event `e`. */
const statusOfEvent = sql`replace(substr(e.type, 5), 'started', ${literal(transitions.claim.to[0])})`;

/** SQL: what a webhook is sent of a run that isn't over, of the run in the CTE `run` that has its columns. */
export const briefPayload = (run: string, type: Sql): Sql => sql`
  json_build_object('type', ${type}, 'timestamp', ${nowOnTheWire}, 'run_id', ${raw(run)}.id,
    'thread_id', ${raw(run)}.thread_id, 'agent_id', ${raw(run)}.agent_id, 'version', ${raw(run)}.version,
    'status', ${raw(run)}.status, 'attempt', ${raw(run)}.attempt)`;

/** SQL: the time of this statement as the wire has times. */
export const nowOnTheWire = sql`to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
