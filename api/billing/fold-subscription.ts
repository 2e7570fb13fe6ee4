import { providerSubscription } from "../../shared/schemas/billing-event.ts";
import type { MirroredSubscription } from "../../shared/store/billing/put-subscription.ts";
import type { StoredEvent } from "../../shared/store/billing/read-events.ts";
import { newest } from "./newest-event.ts";

/** The order of events within one second of the provider's clock. A deleted subscription stays deleted. */
const rank = (type: string): number => {
  if (type === "customer.subscription.created") return 0;
  return type === "customer.subscription.deleted" ? 2 : 1;
};

const nothing = { price: null, current_period_start: null, current_period_end: null };

/** Computes a subscription from its events in any order. Null: no event is about a subscription. */
export function foldSubscription(events: readonly StoredEvent[]): MirroredSubscription | null {
  const relevant = events.filter(({ type }) => type.startsWith("customer.subscription."));
  const last =
    newest(
      relevant.filter(({ type }) => rank(type) === 2),
      rank,
    ) ?? newest(relevant, rank);
  if (!last) return null;
  const { id, status, items, metadata, ...object } = providerSubscription.parse(last.object);
  const [item = nothing] = items.data;
  const plan = metadata["plan_id"];
  return {
    id,
    status: rank(last.type) === 2 ? "canceled" : status,
    price_id: item.price?.id ?? null,
    plan_id: typeof plan === "string" ? plan : null,
    current_period_start: object.current_period_start ?? item.current_period_start,
    current_period_end: object.current_period_end ?? item.current_period_end,
    trial_end: object.trial_end,
    cancel_at_period_end: object.cancel_at_period_end,
    canceled_at: object.canceled_at,
    as_of: last.created,
    created_at: object.created,
  };
}
