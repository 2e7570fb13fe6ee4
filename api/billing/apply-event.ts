import { findWaitingObjects } from "../../shared/store/billing/read-events.ts";
import { inBillingTransaction } from "../../shared/store/billing/in-billing-transaction.ts";
import { insertEvent, type VerifiedEvent } from "../../shared/store/billing/insert-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { applyObject } from "./apply-object.ts";

/**
 * Stores an event and updates the object that it is about, in one transaction. An object's state is computed from all of its
 * stored events each time, so that the order and repetition of events don't matter. Returns false when the event was known.
 */
export function applyEvent(db: Db, event: VerifiedEvent): Promise<boolean> {
  return inBillingTransaction(db, async (client) => {
    if (!(await insertEvent(client, event))) return false;
    const { object_id, customer_id } = event;
    if (object_id !== null) {
      const waiting = await findWaitingObjects(client, { object_id, customer_id });
      for (const id of waiting) await applyObject(client, id, event.event_id);
    }
    return true;
  });
}
