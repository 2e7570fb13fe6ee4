import type { Queryable } from "../client.ts";

/** An event as the fold takes it. */
export type StoredEvent = { event_id: string; type: string; created: Date; user_id: string | null; object: unknown };
type Row = Omit<StoredEvent, "object"> & { payload: { data: { object: unknown } } };

/** The verified events of an object, oldest first. */
export async function readEvents(client: Queryable, object_id: string): Promise<StoredEvent[]> {
  const { rows } = await client.query<Row>(
    `SELECT event_id, type, created, user_id, payload FROM billing_events
     WHERE object_id = $1 AND verified ORDER BY created, event_id`,
    [object_id],
  );
  return rows.map(({ payload, ...event }) => ({ ...event, object: payload.data.object }));
}

/** The objects that an event may have something new for: its own, and those of its customer that wait for a user. */
export async function findWaitingObjects(
  client: Queryable,
  { object_id, customer_id }: { object_id: string; customer_id: string | null },
): Promise<string[]> {
  const { rows } = await client.query<{ object_id: string }>(
    `SELECT DISTINCT object_id FROM billing_events
     WHERE verified AND applied_at IS NULL AND object_id IS NOT NULL AND (object_id = $1 OR customer_id = $2)`,
    [object_id, customer_id],
  );
  return rows.map((row) => row.object_id);
}

/** Says that an object's events are in its row. */
export async function markApplied(client: Queryable, object_id: string): Promise<void> {
  await client.query(
    "UPDATE billing_events SET applied_at = now() WHERE object_id = $1 AND verified AND applied_at IS NULL",
    [object_id],
  );
}
