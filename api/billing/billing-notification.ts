import type { StoredEvent } from "../../shared/store/billing/read-events.ts";
import type { News } from "../../shared/store/notifications/notify.ts";

type BillingNotification = Pick<News, "type" | "level" | "title" | "data" | "dedup_key">;
type Text = Pick<BillingNotification, "type" | "level" | "title">;

const texts = new Map<string, Text>([
  ["invoice.payment_failed", { type: "billing.payment_failed", level: "error", title: "An invoice couldn't be paid" }],
  ["payment_intent.payment_failed", { type: "billing.payment_failed", level: "error", title: "A payment failed" }],
  ["payment_intent.succeeded", { type: "billing.payment_succeeded", level: "info", title: "A payment arrived" }],
  ["charge.refunded", { type: "billing.refunded", level: "info", title: "A payment was refunded" }],
  ["charge.dispute.created", { type: "billing.disputed", level: "warning", title: "A payment is disputed" }],
  ["customer.subscription.trial_will_end", { type: "billing.trial_ends", level: "info", title: "A trial ends soon" }],
  ["customer.subscription.paused", { type: "billing.paused", level: "warning", title: "A subscription is paused" }],
  ["customer.subscription.deleted", { type: "billing.canceled", level: "warning", title: "A subscription has ended" }],
]);

/** Returns the notification for an event, if there is one. A payment that is no top-up is reported by its invoice. */
export function billingNotification(event: StoredEvent, object_id: string): BillingNotification | null {
  const text = texts.get(event.type);
  if (!text || (event.type.startsWith("payment_intent.") && event.user_id === null)) return null;
  return { ...text, data: { object_id, event_id: event.event_id }, dedup_key: `billing:${event.event_id}` };
}
