import { z } from "zod";
import { ofUser } from "./billing.ts";
import { money } from "./plan.ts";
import { pageQuery, text } from "./primitives.ts";

export const paidQuery = pageQuery.extend({
  ...ofUser,
  status: text({ max: 64 }).optional().meta({ description: "Only things with this status of the payment provider." }),
});
export const paymentRecord = z
  .object({
    id: z.string(),
    object: z.literal("payment"),
    user_id: z.string(),
    status: z.string().meta({ description: "`succeeded`, `failed` or `pending`." }),
    currency: z.string(),
    amount: z.number().int().meta({ description: "In the currency's smallest unit." }),
    amount_micro_usd: money.nullable(),
    wallet_micro_usd: money.meta({ description: "The part of the payment that is in the wallet." }),
    refunded_amount: z.number().int(),
    disputed: z.boolean(),
    failure_message: z.string().nullable(),
    description: z.string().nullable(),
    provider_invoice_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Payment",
    example: {
      id: "pi_1P",
      object: "payment",
      user_id: "ada",
      status: "succeeded",
      currency: "usd",
      amount: 2000,
      amount_micro_usd: 20_000_000,
      wallet_micro_usd: 20_000_000,
      refunded_amount: 0,
      disputed: false,
      failure_message: null,
      description: null,
      provider_invoice_id: null,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type PaymentRecord = z.infer<typeof paymentRecord>;

export const invoiceRecord = z
  .object({
    id: z.string(),
    object: z.literal("invoice"),
    user_id: z.string(),
    number: z.string().nullable(),
    status: z.string().meta({ description: "The payment provider's status, such as `open` or `paid`." }),
    currency: z.string(),
    amount_due: z.number().int().meta({ description: "In the currency's smallest unit." }),
    amount_paid: z.number().int(),
    period_start: z.string().nullable(),
    period_end: z.string().nullable(),
    hosted_url: z.string().nullable(),
    provider_subscription_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Invoice",
    example: {
      id: "in_1P",
      object: "invoice",
      user_id: "ada",
      number: "RF-0001",
      status: "paid",
      currency: "usd",
      amount_due: 2000,
      amount_paid: 2000,
      period_start: "2026-11-01T00:00:00.000Z",
      period_end: "2026-12-01T00:00:00.000Z",
      hosted_url: "https://invoice.example.com/in_1P",
      provider_subscription_id: "sub_1P",
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type InvoiceRecord = z.infer<typeof invoiceRecord>;
