import type { Queryable } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const verifiedEvent = {
  event_id: t.text,
  type: t.text,
  /** By the provider's clock. */
  created: t.timestamptz,
  /** What it tells of: events of one object are folded together. Null: nothing of ours. */
  object_id: orNull(t.text),
  customer_id: orNull(t.text),
  /** Where it names the user itself. */
  user_id: orNull(t.text),
  payload: t.json(),
  /** Why an event of a known type could not be applied. */
  error: orNull(t.text),
};

/** An event of the payment provider, whose signature was checked. */
export type VerifiedEvent = Row<typeof verifiedEvent>;

/** Inserts an event whose signature was checked, once. Returns false when it is there already. */
export async function insertEvent(client: Queryable, event: VerifiedEvent): Promise<boolean> {
  return (await insert.count(client, event)) === 1;
}

/** Stores what a verified event is about, as it is read now. */
export async function replaceReading(client: Queryable, event: VerifiedEvent): Promise<void> {
  const { event_id, type, created, object_id, customer_id, user_id } = event;
  await replace.count(client, { event_id, type, created, object_id, customer_id, user_id });
}

const { payload: _payload, error: _error, ...reading } = verifiedEvent;

const replace = statement({
  name: "replace-event-reading",
  takes: reading,
  text: sql`
    UPDATE billing_events SET type = $type, created = $created, object_id = $object_id, customer_id = $customer_id,
      user_id = $user_id, error = NULL
    WHERE event_id = $event_id AND verified`,
});

// Rows that are not verified are of versions before this one, which stored what anybody sent.
const insert = statement({
  name: "insert-billing-event",
  takes: verifiedEvent,
  text: sql`
    INSERT INTO billing_events AS e (event_id, type, created, object_id, customer_id, user_id, payload, error, verified)
    VALUES ($event_id, $type, $created, $object_id, $customer_id, $user_id, $payload, $error, true)
    ON CONFLICT (event_id) DO UPDATE SET type = excluded.type, created = excluded.created,
      object_id = excluded.object_id, customer_id = excluded.customer_id, user_id = excluded.user_id,
      payload = excluded.payload, verified = true, error = excluded.error, received_at = now()
    WHERE NOT e.verified`,
});
