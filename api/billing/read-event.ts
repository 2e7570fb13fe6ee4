import { z } from "zod";
import {
  checkoutSession,
  providerCharge,
  providerDispute,
  type providerEvent,
  providerInvoice,
  providerPayment,
  providerSubscription,
} from "../../shared/schemas/billing-event.ts";
import { clientId } from "../../shared/schemas/primitives.ts";
import { describeIssues } from "./describe-issues.ts";

/** The object, customer and user of an event. */
type EventSubject = {
  object_id: string | null;
  customer_id: string | null;
  user_id: string | null;
  error: string | null;
};

const nothing: EventSubject = { object_id: null, customer_id: null, user_id: null, error: null };

/**
 * Returns the object and the user that an event is about. The object of a payment is its payment intent: events of checkouts,
 * charges and disputes belong to the same one. An event of an unknown type has no object. An unreadable one has an error, which is stored.
 */
export function readEvent(event: z.output<typeof providerEvent>): EventSubject {
  const read = readers.find(([types]) => types.test(event.type))?.[1];
  if (!read) return nothing;
  try {
    const { object_id, customer_id, user_id } = read(event.data.object);
    const named = clientId().safeParse(user_id);
    return { object_id, customer_id, user_id: named.success ? named.data : null, error: null };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { ...nothing, error: describeIssues(error) };
  }
}

type ObjectRefs = { object_id: string | null; customer_id: string | null; user_id: unknown };

const readers: readonly (readonly [types: RegExp, read: (object: unknown) => ObjectRefs])[] = [
  [
    /^checkout\.session\.completed$/,
    (object) => {
      const { payment_intent, subscription, customer, metadata, client_reference_id } = checkoutSession.parse(object);
      const object_id = payment_intent ?? subscription;
      return { object_id, customer_id: customer, user_id: metadata["user_id"] ?? client_reference_id };
    },
  ],
  [
    /^customer\.subscription\.(created|updated|deleted|paused|resumed|trial_will_end)$/,
    (o) => own(providerSubscription, o),
  ],
  [
    /^invoice\.(paid|payment_failed|finalized)$/,
    (object) => {
      const { id, customer, metadata, parent, subscription_details } = providerInvoice.parse(object);
      const of = (parent?.subscription_details ?? subscription_details)?.metadata;
      return { object_id: id, customer_id: customer, user_id: metadata["user_id"] ?? of?.["user_id"] };
    },
  ],
  [/^payment_intent\.(succeeded|payment_failed)$/, (o) => own(providerPayment, o)],
  [
    /^charge\.refunded$/,
    (object) => {
      const { id, payment_intent, customer, metadata } = providerCharge.parse(object);
      return { object_id: payment_intent ?? id, customer_id: customer, user_id: metadata["user_id"] };
    },
  ],
  [
    /^charge\.dispute\.(created|updated|closed|funds_withdrawn|funds_reinstated)$/,
    (object) => {
      const { id, payment_intent, charge } = providerDispute.parse(object);
      return { object_id: payment_intent ?? charge ?? id, customer_id: null, user_id: null };
    },
  ],
];

function own(schema: typeof providerSubscription | typeof providerPayment, object: unknown): ObjectRefs {
  const { id, customer, metadata } = schema.parse(object);
  return { object_id: id, customer_id: customer, user_id: metadata["user_id"] };
}
