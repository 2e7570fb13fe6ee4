import type { Db } from "../client.ts";

/** A run's callback, or a message to a standing webhook, that is to be sent now. `tries` fences what comes of it. */
export type DueMessage = {
  id: string;
  user_id: string;
  /** Null: to the run's own callback URL. */
  webhook_id: string | null;
  run_id: string | null;
  type: string;
  /** JSON. Null: the run's record. */
  payload: string | null;
  url: string;
  /** As the limits per host count. */
  host: string;
  tries: number;
};

export type ClaimLimits = {
  messages: number;
  /** Per host of the URLs, counting those that are leased already, so that a slow receiver can't hold up the others. */
  per_host: number;
  /** Hosts that get one at a time, since they didn't answer last. */
  slow_hosts: string[];
  /** Must outlast a try: a message whose lease ran out is sent by someone else. */
  lease_ms: number;
};

/**
 * Leases messages whose time has come, the longest due first; not those of webhooks that are paused or disabled. No
 * message goes to two callers. Callers that ask at the same moment may together exceed `per_host`, each of them by its own
 * share.
 */
export async function claimDueMessages(db: Db, limits: ClaimLimits): Promise<DueMessage[]> {
  const { messages, per_host, slow_hosts, lease_ms } = limits;
  const { rows } = await db.sql.query<DueMessage>({ ...statement, values: [messages, per_host, lease_ms, slow_hosts] });
  return rows;
}

const statement = {
  name: "claim-due-messages",
  text: `
    WITH pending AS (
      SELECT o.id, o.next_attempt_at, coalesce(o.lease_until > now(), false) AS leased, coalesce(w.url, o.url) AS url,
        lower(substring(coalesce(w.url, o.url) FROM '^[^:]*:/*([^/?#]*)')) AS host
      FROM outbox o LEFT JOIN webhooks w ON w.id = o.webhook_id
      WHERE o.status = 'pending' AND o.next_attempt_at <= now() AND (o.webhook_id IS NULL OR w.status = 'active')
    ), placed AS (
      SELECT id, leased, url, host,
        row_number() OVER (PARTITION BY host ORDER BY leased DESC, next_attempt_at, id) AS place
      FROM pending
    ), picked AS (
      SELECT outbox.id, placed.url, placed.host FROM outbox JOIN placed ON placed.id = outbox.id
      WHERE NOT placed.leased AND placed.place <= CASE WHEN placed.host = ANY($4::text[]) THEN 1 ELSE $2 END
        AND outbox.status = 'pending' AND (outbox.lease_until IS NULL OR outbox.lease_until <= now())
      ORDER BY outbox.next_attempt_at, outbox.id LIMIT $1
      FOR UPDATE OF outbox SKIP LOCKED
    )
    UPDATE outbox SET lease_until = now() + $3 * interval '1 ms'
    FROM picked WHERE outbox.id = picked.id
    RETURNING outbox.id, outbox.user_id, outbox.webhook_id, outbox.run_id, outbox.type, outbox.payload::text AS payload,
      picked.url, picked.host, outbox.tries`,
};
