import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** An event as the fold takes it. */
export type StoredEvent = {
  event_id: string;
  type: string;
  created: Date;
  user_id: string | null;
  object: unknown;
  /** True when the object's row holds it already: its user was told of it. */
  applied: boolean;
};

/** The verified events of an object, oldest first. */
export async function readEvents(client: Queryable, object_id: string): Promise<StoredEvent[]> {
  const rows = await read.rows(client, { object_id });
  return rows.map(({ payload, ...event }) => ({ ...event, object: payload.data.object }));
}

const read = statement({
  name: "read-billing-events",
  takes: { object_id: t.text },
  gives: {
    event_id: t.text,
    type: t.text,
    created: t.timestamptz,
    user_id: orNull(t.text),
    payload: t.json<{ data: { object: unknown } }>(),
    applied: t.boolean,
  },
  text: sql`
    SELECT event_id, type, created, user_id, payload, applied_at IS NOT NULL AS applied FROM billing_events
    WHERE object_id = $object_id AND verified ORDER BY created, event_id`,
});

/** The objects that an event may have something new for: its own, and those of its customer that wait for a user. */
export async function findWaitingObjects(
  client: Queryable,
  { object_id, customer_id }: { object_id: string; customer_id: string | null },
): Promise<string[]> {
  const rows = await findWaiting.rows(client, { object_id, customer_id });
  return rows.map((row) => row.object_id);
}

const findWaiting = statement({
  name: "find-waiting-objects",
  takes: { object_id: t.text, customer_id: orNull(t.text) },
  gives: { object_id: t.text },
  text: sql`
    SELECT DISTINCT object_id FROM billing_events
    WHERE verified AND applied_at IS NULL AND object_id IS NOT NULL
      AND (object_id = $object_id OR customer_id = $customer_id)`,
});

/** Says that an object's events are in its row. */
export async function markApplied(client: Queryable, object_id: string): Promise<void> {
  await mark.count(client, { object_id });
}

const mark = statement({
  name: "mark-events-applied",
  takes: { object_id: t.text },
  text: sql`
    UPDATE billing_events SET applied_at = now() WHERE object_id = $object_id AND verified AND applied_at IS NULL`,
});
