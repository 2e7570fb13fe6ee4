import { findWaitingObjects } from "../../shared/store/billing/read-events.ts";
import { inBillingTransaction } from "../../shared/store/billing/in-billing-transaction.ts";
import { insertEvent, type VerifiedEvent } from "../../shared/store/billing/insert-event.ts";
import type { Db } from "../../shared/store/client.ts";
import { applyObject } from "./apply-object.ts";

/**
 * Keeps an event and brings all that it concerns to what the events known so far say, in one
 * transaction. An object's state is made of all of its events each time, so that their order and repeats change nothing.
 * False: the event was known.
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
