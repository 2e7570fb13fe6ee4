import { z } from "zod";
import { choice, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

const statuses = ["applied", "waiting", "unreadable", "ignored"] as const;
export type BillingEventStatus = (typeof statuses)[number];

/** A signed event of the payment provider, and what became of it. */
export const billingEventRecord = z
  .object({
    id: z.string(),
    object: z.literal("billing_event"),
    type: z.string(),
    status: z.enum(statuses).meta({
      description:
        "`waiting`: its user is not known yet. `unreadable`: it is kept aside, see `error`. `ignored`: its type changes nothing here.",
    }),
    object_id: z.string().nullable(),
    customer_id: z.string().nullable(),
    user_id: z.string().nullable(),
    error: z.string().nullable(),
    created: z.string().meta({ description: "When the payment provider made it." }),
    received_at: z.string(),
    applied_at: z.string().nullable(),
  })
  .meta({
    id: "BillingEvent",
    example: {
      id: "evt_1",
      object: "billing_event",
      type: "customer.subscription.updated",
      status: "unreadable",
      object_id: null,
      customer_id: null,
      user_id: null,
      error: "created: Invalid input: expected number, received undefined",
      created: "2026-11-21T10:00:00.000Z",
      received_at: "2026-11-21T10:00:01.000Z",
      applied_at: null,
    },
  });
export type BillingEventRecord = z.infer<typeof billingEventRecord>;

export const billingEventQuery = pageQuery.extend({
  status: choice(statuses).optional().meta({ description: "Only things with this status." }),
  type: text({ max: 255 }).optional().meta({ description: "Only events of this type, such as `invoice.paid`." }),
  ...timeRange,
});
export type BillingEventFilter = Omit<z.output<typeof billingEventQuery>, "limit" | "after" | "order">;

export const billingEventParams = z.object({ event_id: text({ max: 255 }).meta({ example: "evt_1" }) });
