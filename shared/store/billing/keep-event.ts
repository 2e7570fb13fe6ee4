import type { Queryable } from "../client.ts";

/** An event of the payment provider, whose signature was checked. */
export type KeptEvent = {
  event_id: string;
  type: string;
  /** By the provider's clock. */
  created: Date;
  /** What it tells of: events of one object are folded together. Null: nothing of ours. */
  object_id: string | null;
  customer_id: string | null;
  /** Where it names the user itself. */
  user_id: string | null;
  payload: unknown;
  /** Why it is applied to nothing, though its type is known. */
  error: string | null;
};

/** Keeps an event whose signature was checked, once. Returns false when it is there already. */
export async function keepEvent(client: Queryable, event: KeptEvent): Promise<boolean> {
  const { event_id, type, created, object_id, customer_id, user_id, payload, error } = event;
  const values = [event_id, type, created, object_id, customer_id, user_id, JSON.stringify(payload), error];
  const { rowCount } = await client.query({ ...statement, values });
  return rowCount === 1;
}

// Rows that are not verified are of versions before this one, which kept what anybody sent.
const statement = {
  name: "keep-verified-billing-event",
  text: `
    INSERT INTO billing_events AS e (event_id, type, created, object_id, customer_id, user_id, payload, error, verified)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, true)
    ON CONFLICT (event_id) DO UPDATE SET type = excluded.type, created = excluded.created,
      object_id = excluded.object_id, customer_id = excluded.customer_id, user_id = excluded.user_id,
      payload = excluded.payload, verified = true, error = excluded.error, received_at = now()
    WHERE NOT e.verified`,
};
