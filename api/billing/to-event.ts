import { eventName, providerEvent } from "../../shared/schemas/billing-event.ts";
import type { VerifiedEvent } from "../../shared/store/billing/insert-event.ts";
import { describeIssues } from "./describe-issues.ts";
import { readEvent } from "./read-event.ts";

/**
 * Returns a signed event as it is stored. One that can't be read has an `error`, which names places and no values. Null: the
 * payload has no event id. `received`: the time of an event that doesn't say its own.
 */
export function toEvent(payload: unknown, received: Date): VerifiedEvent | null {
  const read = providerEvent.safeParse(payload);
  if (read.success) {
    const { id: event_id, type, created } = read.data;
    return { event_id, type, created, payload, ...readEvent(read.data) };
  }
  const named = eventName.safeParse(payload);
  if (!named.success) return null;
  const { id: event_id, type } = named.data;
  const nothing = { object_id: null, customer_id: null, user_id: null };
  return { event_id, type, created: received, payload, ...nothing, error: describeIssues(read.error) };
}
