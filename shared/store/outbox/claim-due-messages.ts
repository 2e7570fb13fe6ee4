import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const dueMessage = {
  id: t.text,
  user_id: t.text,
  /** Null: to the run's own callback URL. */
  webhook_id: orNull(t.text),
  run_id: orNull(t.text),
  type: t.text,
  /** JSON. Null: the run's record. */
  payload: orNull(t.text),
  /** As the limits per host count: of the URL that the message was written with. */
  host: t.text,
  tries: t.integer,
  /** By Postgres' clock. */
  claimed_at: t.timestamptz,
  /** Of its run. */
  traceparent: orNull(t.text),
  url: t.text,
};

/** A run's callback, or a message to a standing webhook, that is to be sent now. `tries` fences what comes of it. */
export type DueMessage = Row<typeof dueMessage>;

export type ClaimLimits = {
  messages: number;
  /** Of the messages' bodies together. The last message may exceed it. */
  bytes: number;
  /** Per host of the URLs, counting those that are leased already, so that a slow receiver can't hold up the others. */
  per_host: number;
  /** The same for a user, who may own any number of hosts. */
  per_user: number;
  /** Hosts that get one at a time, since they didn't answer last. */
  slow_hosts: string[];
  /** Must outlast a try: a message whose lease ran out is sent by someone else. */
  lease_ms: number;
};

/**
 * Leases messages whose time has come, the longest due first; not those of webhooks that are paused or disabled. No
 * message goes to two callers. Callers that ask at the same moment may together exceed the limits, each of them by its own
 * share. It costs a few probes of the index `outbox_due` per host with pending messages, however many they are.
 */
export async function claimDueMessages(db: Db, limits: ClaimLimits): Promise<DueMessage[]> {
  return claim.rows(db.sql, limits);
}

/** As the index `outbox_due` has it. */
const hostOf = (url: string): Sql => sql`lower(substring(${raw(url)}, '^[^:]*:/*([^/?#]*)'))`;

/** The first of a host's and of a user's due messages are those that are leased, if any: they were due before the rest. */
const claim = statement({
  name: "claim-due-messages",
  takes: {
    messages: t.integer,
    bytes: t.double,
    per_host: t.integer,
    per_user: t.integer,
    slow_hosts: listOf(t.text),
    lease_ms: t.double,
  },
  gives: dueMessage,
  text: sql`
    WITH RECURSIVE hosts AS (
      SELECT min(${hostOf("url")}) AS host FROM outbox WHERE status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'callbacks')
      UNION ALL
      SELECT (SELECT min(${hostOf("o.url")}) FROM outbox o WHERE o.status = 'pending' AND ${hostOf("o.url")} > hosts.host)
      FROM hosts WHERE hosts.host IS NOT NULL
    ), first AS (
      SELECT due.id, row_number() OVER (PARTITION BY user_id ORDER BY next_attempt_at, id) AS users_nth
      FROM hosts CROSS JOIN LATERAL (
        SELECT o.id, o.user_id, o.next_attempt_at FROM outbox o
        WHERE o.status = 'pending' AND ${hostOf("o.url")} = hosts.host AND o.next_attempt_at <= now()
          AND (o.webhook_id IS NULL OR EXISTS (SELECT 1 FROM webhooks w WHERE w.id = o.webhook_id AND w.status = 'active'))
        ORDER BY o.next_attempt_at, o.id LIMIT CASE WHEN hosts.host = ANY($slow_hosts) THEN 1 ELSE $per_host END
      ) AS due
    ), picked AS (
      -- An array: its length is never mistaken for the table's.
      SELECT id, next_attempt_at, coalesce(octet_length(payload::text), 0) AS bytes
      FROM outbox WHERE id = ANY(ARRAY(SELECT id FROM first WHERE users_nth <= $per_user))
        AND status = 'pending' AND (lease_until IS NULL OR lease_until <= now())
        AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'callbacks')
      ORDER BY next_attempt_at, id LIMIT $messages
      FOR UPDATE SKIP LOCKED
    ), fitting AS (
      SELECT id, sum(bytes) OVER (
        ORDER BY next_attempt_at, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_ahead FROM picked
    )
    UPDATE outbox SET lease_until = now() + $lease_ms * interval '1 ms'
    WHERE id = ANY(ARRAY(SELECT id FROM fitting WHERE coalesce(bytes_ahead, 0) < $bytes))
    RETURNING id, user_id, webhook_id, run_id, type, payload::text AS payload, ${hostOf("url")} AS host, tries,
      clock_timestamp() AS claimed_at,
      (SELECT traceparent FROM runs WHERE runs.id = outbox.run_id) AS traceparent,
      coalesce((SELECT url FROM webhooks WHERE webhooks.id = outbox.webhook_id), outbox.url) AS url`,
});
