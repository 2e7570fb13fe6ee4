import { ensureAccounts } from "../../shared/store/billing/ensure-accounts.ts";
import { findPayer, linkCustomer } from "../../shared/store/billing/find-payer.ts";
import { putInvoice } from "../../shared/store/billing/put-invoice.ts";
import { putPayment } from "../../shared/store/billing/put-payment.ts";
import { putSubscription } from "../../shared/store/billing/put-subscription.ts";
import { markApplied, readEvents } from "../../shared/store/billing/read-events.ts";
import type { Queryable } from "../../shared/store/client.ts";
import { notify } from "../../shared/store/notifications/notify.ts";
import { foldInvoice } from "./fold-invoice.ts";
import { foldPayment } from "./fold-payment.ts";
import { foldSubscription } from "./fold-subscription.ts";
import { billingNotification } from "./billing-notification.ts";

/**
 * Updates an object of the payment provider from its stored events: its row, the money of its payment and its user's plan. `cause`:
 * the id of the event that caused the update. An object whose user is unknown waits for an event that names the user.
 */
export async function applyObject(client: Queryable, object_id: string, cause: string): Promise<void> {
  const user_id = await findPayer(client, object_id);
  if (user_id === null) return;
  await ensureAccounts(client, [user_id]);
  await linkCustomer(client, user_id);
  const events = await readEvents(client, object_id);
  const subscription = foldSubscription(events);
  if (subscription) await putSubscription(client, user_id, subscription);
  const invoice = foldInvoice(events);
  if (invoice) await putInvoice(client, user_id, invoice);
  const paid = foldPayment(object_id, events);
  if (paid) await putPayment(client, user_id, paid, cause);
  // Of the others the notification may be deleted by now, and would be told again.
  for (const event of events.filter(({ applied }) => !applied)) {
    const news = billingNotification(event, object_id);
    if (news) await notify(client, { user_id, body: null, agent_id: null, run_id: null, ...news });
  }
  await markApplied(client, object_id);
}
