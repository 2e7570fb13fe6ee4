import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { perRow, raw, type Sql, sql } from "../sql.ts";
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
  /** Users that get one at a time to a host, since it didn't answer them last. */
  slow: readonly { host: string; user_id: string }[];
  /** Must outlast a try: a message whose lease ran out is sent by someone else. */
  lease_ms: number;
};

/**
 * Leases messages whose time has come, the longest due first; not those of webhooks that are paused or disabled. No
 * message goes to two callers. Callers that ask at the same moment may together exceed the limits, each of them by its own
 * share. It costs a probe of the index `outbox_of_receiver` per receiver with pending messages, however many they are: a
 * host and a user, and the webhook if it is one's.
 */
export async function claimDueMessages(db: Db, { slow, ...limits }: ClaimLimits): Promise<DueMessage[]> {
  const slow_hosts = slow.map(({ host }) => host);
  return claim.rows(db.sql, { ...limits, slow_hosts, slow_users: slow.map(({ user_id }) => user_id) });
}

/** As the index `outbox_of_receiver` has it. */
const hostOf = (url: string): Sql => sql`lower(substring(${raw(url)}, '^[^:]*:/*([^/?#]*)'))`;

/**
 * What is leased counts first: of a receiver it was due before the rest. The share of a user is taken before that of a host,
 * so that a user whose share is used up occupies no place of a host. Then the users take turns at it.
 */
const claim = statement({
  name: "claim-due-messages",
  takes: {
    messages: t.integer,
    bytes: t.double,
    per_host: t.integer,
    per_user: t.integer,
    slow_hosts: listOf(t.text),
    slow_users: listOf(t.text),
    lease_ms: t.double,
  },
  gives: dueMessage,
  text: sql`
    WITH RECURSIVE receivers AS (
      SELECT '' AS host, '' AS user_id, '' AS webhook_id, 'infinity'::timestamptz AS due_at
      WHERE NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'callbacks')
      UNION ALL
      SELECT next.* FROM receivers AS last CROSS JOIN LATERAL (
        SELECT ${hostOf("o.url")}, o.user_id, coalesce(o.webhook_id, ''), o.next_attempt_at FROM outbox o
        WHERE o.status = 'pending'
          AND (${hostOf("o.url")}, o.user_id, coalesce(o.webhook_id, '')) > (last.host, last.user_id, last.webhook_id)
        ORDER BY ${hostOf("o.url")}, o.user_id, coalesce(o.webhook_id, ''), o.next_attempt_at, o.id LIMIT 1
      ) AS next
    ), due AS (
      SELECT r.host, r.user_id, first.* FROM receivers r CROSS JOIN LATERAL (
        SELECT o.id, o.next_attempt_at, coalesce(o.lease_until > now(), false) AS leased FROM outbox o
        WHERE o.status = 'pending' AND ${hostOf("o.url")} = r.host AND o.user_id = r.user_id
          AND coalesce(o.webhook_id, '') = r.webhook_id AND o.next_attempt_at <= now()
        ORDER BY o.next_attempt_at, o.id LIMIT $per_host
      ) AS first
      WHERE r.due_at <= now()
        AND (r.webhook_id = '' OR EXISTS (SELECT 1 FROM webhooks w WHERE w.id = r.webhook_id AND w.status = 'active' ${perRow}))
    ), of_users AS (
      SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY leased DESC, next_attempt_at, id) AS users_nth,
        row_number() OVER (PARTITION BY host, user_id ORDER BY leased DESC, next_attempt_at, id) AS users_nth_at_host
      FROM due
    ), of_hosts AS (
      SELECT id, leased, row_number() OVER (
        PARTITION BY host ORDER BY leased DESC, users_nth_at_host, next_attempt_at, id) AS hosts_nth
      FROM of_users
      WHERE leased OR users_nth <= $per_user AND (users_nth_at_host = 1
        OR (host, user_id) NOT IN (SELECT * FROM unnest($slow_hosts, $slow_users)))
    ), picked AS (
      -- An array: its length is never mistaken for the table's.
      SELECT id, next_attempt_at, coalesce(octet_length(payload::text), 0) AS bytes
      FROM outbox WHERE id = ANY(ARRAY(SELECT id FROM of_hosts WHERE hosts_nth <= $per_host AND NOT leased))
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
