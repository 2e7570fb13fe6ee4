import { findWaitingObjects } from "../../shared/store/billing/read-events.ts";
import { inBillingTransaction } from "../../shared/store/billing/in-billing-transaction.ts";
import { insertEvent, replaceReading, type VerifiedEvent } from "../../shared/store/billing/insert-event.ts";
import type { Db, Queryable } from "../../shared/store/client.ts";
import { notify } from "../../shared/store/notifications/notify.ts";
import { listAdmins } from "../../shared/store/users/list-admins.ts";
import { applyObject } from "./apply-object.ts";

/**
 * Stores an event and updates the object that it is about, in one transaction. An object's state is computed from all of its
 * stored events each time, so that the order and repetition of events don't matter. Returns false when the event was known.
 */
export function applyEvent(db: Db, event: VerifiedEvent): Promise<boolean> {
  return inBillingTransaction(db, async (client) => {
    if (!(await insertEvent(client, event))) return false;
    if (event.error === null) await applyWaiting(client, event);
    else await notifyAdmins(client, event);
    return true;
  });
}

/** Applies a stored event again, as it is read now. */
export function reapplyEvent(db: Db, event: VerifiedEvent): Promise<void> {
  return inBillingTransaction(db, async (client) => {
    await replaceReading(client, event);
    await applyWaiting(client, event);
  });
}

async function applyWaiting(client: Queryable, { event_id, object_id, customer_id }: VerifiedEvent): Promise<void> {
  if (object_id === null) return;
  const waiting = await findWaitingObjects(client, { object_id, customer_id });
  for (const id of waiting) await applyObject(client, id, event_id);
}

async function notifyAdmins(client: Queryable, { event_id, type, error }: VerifiedEvent): Promise<void> {
  const news = {
    type: "billing.event_unreadable",
    level: "error",
    title: "An event of the payment provider could not be read",
    body: `${event_id} (${type}) is kept aside: ${error}`.slice(0, 500),
    data: { event_id, type },
    agent_id: null,
    run_id: null,
    dedup_key: `billing-event:${event_id}`,
  } as const;
  for (const user_id of await listAdmins(client)) await notify(client, { user_id, ...news });
}
