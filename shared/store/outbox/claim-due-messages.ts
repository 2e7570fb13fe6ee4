import type { Db } from "../client.ts";

/** A run's callback that is to be sent now. `tries` fences what comes of it. */
export type DueMessage = { id: string; user_id: string; run_id: string; type: string; url: string; tries: number };

export type ClaimLimits = {
  messages: number;
  /** Per host of the URLs, counting those that are leased already, so that a slow receiver can't hold up the others. */
  per_host: number;
  /** Must outlast a try: a message whose lease ran out is sent by someone else. */
  lease_ms: number;
};

/**
 * Leases callbacks whose time has come, the longest due first. No message goes to two callers. Callers that ask at the
 * same moment may together exceed `per_host`, each of them by its own share.
 */
export async function claimDueMessages(db: Db, { messages, per_host, lease_ms }: ClaimLimits): Promise<DueMessage[]> {
  const { rows } = await db.sql.query<DueMessage>({ ...statement, values: [messages, per_host, lease_ms] });
  return rows;
}

const statement = {
  name: "claim-due-messages",
  text: `
    WITH pending AS (
      SELECT id, next_attempt_at, coalesce(lease_until > now(), false) AS leased,
        lower(substring(url FROM '^[^:]*:/*([^/?#]*)')) AS host
      FROM outbox WHERE status = 'pending' AND run_id IS NOT NULL AND webhook_id IS NULL AND next_attempt_at <= now()
    ), placed AS (
      SELECT id, leased, row_number() OVER (PARTITION BY host ORDER BY leased DESC, next_attempt_at, id) AS place
      FROM pending
    ), picked AS (
      SELECT outbox.id FROM outbox JOIN placed ON placed.id = outbox.id
      WHERE NOT placed.leased AND placed.place <= $2
        AND outbox.status = 'pending' AND (outbox.lease_until IS NULL OR outbox.lease_until <= now())
      ORDER BY outbox.next_attempt_at, outbox.id LIMIT $1
      FOR UPDATE OF outbox SKIP LOCKED
    )
    UPDATE outbox SET lease_until = now() + $3 * interval '1 ms'
    FROM picked WHERE outbox.id = picked.id AND NOT EXISTS (SELECT 1 FROM queue_pauses WHERE name = 'callbacks')
    RETURNING outbox.id, outbox.user_id, outbox.run_id, outbox.type, outbox.url, outbox.tries`,
};
