import { z } from "zod";
import { subscriptionStatuses } from "./billing-event.ts";
import { choice, clientId, httpUrl, laxBool, laxInt, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

/** Money: 1 USD is 1,000,000. As much as a JSON number holds exactly. */
const microUsd = (ge: number) => laxInt({ ge, le: Number.MAX_SAFE_INTEGER });
const money = z.number().int().meta({ description: "Micro-USD: 1 USD is 1,000,000." });
const user_id = clientId().nullish().meta({ description: "Whose; the caller's when left out." });
const ofUser = { user_id: clientId().optional(), ...timeRange };

export const planParams = z.object({ plan_id: clientId() });

/** The body of PUT /v1/billing/plans/{plan_id}. */
export const planBody = z
  .object({
    name: text({ min: 1, max: 256 }),
    price_micro_usd: microUsd(0).default(0),
    interval: choice(["month", "year"]).default("month"),
    provider_price_id: text({ min: 1, max: 255 })
      .nullish()
      .meta({ description: "The payment provider's price that a checkout of this plan is for." }),
    weekly_runs: laxInt({ ge: 0, le: 1e9 }).nullish().meta({ description: "Null: no bound, as in the next ones." }),
    weekly_micro_usd: microUsd(0).nullish(),
    max_concurrent_runs: laxInt({ ge: 0, le: 1e9 })
      .nullish()
      .meta({ description: "Runs that have not ended, those that wait included." }),
    max_queued_runs: laxInt({ ge: 0, le: 1e9 }).nullish(),
    prepaid: laxBool()
      .default(false)
      .meta({ description: "Each run is paid from the wallet, which must not be empty." }),
    second_micro_usd: laxInt({ ge: 0, le: 1e9 })
      .default(0)
      .meta({ description: "What a second of running costs, beside what the agent reports as its `cost_usd`." }),
    active: laxBool().default(true).meta({ description: "Whether it may be chosen anew." }),
  })
  .meta({ id: "PlanBody", example: { name: "Small", price_micro_usd: 20_000_000, weekly_runs: 1000 } });
export type PlanBody = z.output<typeof planBody>;

export const planRecord = z
  .object({
    id: z.string(),
    object: z.literal("plan"),
    name: z.string(),
    price_micro_usd: money,
    interval: z.string(),
    provider_price_id: z.string().nullable(),
    weekly_runs: z.number().int().nullable(),
    weekly_micro_usd: money.nullable(),
    max_concurrent_runs: z.number().int().nullable(),
    max_queued_runs: z.number().int().nullable(),
    prepaid: z.boolean(),
    second_micro_usd: money,
    active: z.boolean(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Plan" });
export type PlanRecord = z.infer<typeof planRecord>;

const spendPeriods = ["day", "week", "month"] as const;

/** The body of PUT /v1/billing/spend-limit. */
export const spendLimitBody = z
  .object({
    user_id,
    period: choice(spendPeriods).default("month").meta({ description: "Of UTC; a week begins on Monday." }),
    amount_micro_usd: microUsd(0).nullable().meta({ description: "Null: no limit any more." }),
    enforced: laxBool().default(true).meta({ description: "Refuse runs (402) beyond it; else only notify." }),
  })
  .meta({ id: "SpendLimitBody", example: { period: "month", amount_micro_usd: 50_000_000 } });

export const spendLimit = z
  .object({
    period: z.enum(spendPeriods),
    amount_micro_usd: money,
    spent_micro_usd: money,
    period_started_at: z.string(),
    enforced: z.boolean(),
  })
  .meta({ id: "SpendLimit" });
export type SpendLimitRecord = z.infer<typeof spendLimit>;

export const wallet = z
  .object({
    object: z.literal("wallet"),
    user_id: z.string(),
    balance_micro_usd: money,
    plan: planRecord.nullable().meta({ description: "Null: nothing is bounded." }),
    week: z.object({
      started_at: z.string(),
      ends_at: z.string(),
      runs: z.number().int(),
      micro_usd: money,
    }),
    spend_limits: z.array(spendLimit),
  })
  .meta({ id: "Wallet" });
export type WalletRecord = z.infer<typeof wallet>;

export const subscriptionParams = z.object({ subscription_id: text({ max: 512 }) });
export const subscriptionBody = z
  .object({ user_id, plan_id: clientId() })
  .meta({ id: "SubscriptionBody", example: { plan_id: "free" } });
export const subscriptionQuery = pageQuery.extend({ ...ofUser, status: choice(subscriptionStatuses).optional() });
export const subscriptionRecord = z
  .object({
    id: z.string(),
    object: z.literal("subscription"),
    user_id: z.string(),
    plan_id: z.string().nullable(),
    provider_subscription_id: z.string().nullable().meta({ description: "Null: made here, and paid by nobody." }),
    status: z.enum(subscriptionStatuses),
    current_period_start: z.string().nullable(),
    current_period_end: z.string().nullable(),
    trial_end: z.string().nullable(),
    cancel_at_period_end: z.boolean(),
    canceled_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Subscription" });
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

export const transactionBody = z
  .object({
    user_id: clientId(),
    amount_micro_usd: laxInt({ ge: -1e12, le: 1e12 }).meta({
      description: "Into the wallet; out of it where it is negative.",
    }),
    description: text({ min: 1, max: 1024 }).nullish(),
  })
  .meta({ id: "TransactionBody", example: { user_id: "ada", amount_micro_usd: 5_000_000, description: "Welcome" } });
const transactionTypes = ["top_up", "refund", "usage", "grant"] as const;
export const transactionQuery = pageQuery.extend({ ...ofUser, type: choice(transactionTypes).optional() });
export const transactionRecord = z
  .object({
    id: z.string(),
    object: z.literal("transaction"),
    user_id: z.string(),
    type: z.string(),
    amount_micro_usd: money.meta({ description: "Into the wallet; negative: out of it." }),
    description: z.string().nullable(),
    source: z.string().meta({ description: "What caused it: `payment`, `usage` or `manual`." }),
    source_id: z.string(),
    entries: z
      .array(z.object({ account: z.string(), amount_micro_usd: money }))
      .meta({ description: "Double entry: they sum to 0." }),
    created_at: z.string(),
  })
  .meta({ id: "Transaction" });
export type TransactionRecord = z.infer<typeof transactionRecord>;

export const paidQuery = pageQuery.extend({ ...ofUser, status: text({ max: 64 }).optional() });
export const paymentRecord = z
  .object({
    id: z.string(),
    object: z.literal("payment"),
    user_id: z.string(),
    status: z.string().meta({ description: "`succeeded`, `failed` or `pending`." }),
    currency: z.string(),
    amount: z.number().int().meta({ description: "In the currency's smallest unit." }),
    amount_micro_usd: money.nullable(),
    wallet_micro_usd: money.meta({ description: "What of it is in the wallet." }),
    refunded_amount: z.number().int(),
    disputed: z.boolean(),
    failure_message: z.string().nullable(),
    description: z.string().nullable(),
    provider_invoice_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "Payment" });
export type PaymentRecord = z.infer<typeof paymentRecord>;

export const invoiceRecord = z
  .object({
    id: z.string(),
    object: z.literal("invoice"),
    user_id: z.string(),
    number: z.string().nullable(),
    status: z.string().meta({ description: "`open`, `paid` …, in the provider's words." }),
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
  .meta({ id: "Invoice" });
export type InvoiceRecord = z.infer<typeof invoiceRecord>;

export const usageQuery = pageQuery.extend({
  ...ofUser,
  agent_id: clientId().optional(),
  run_id: clientId().optional(),
});
export const usageRecord = z
  .object({
    id: z.string(),
    object: z.literal("usage"),
    user_id: z.string(),
    agent_id: z.string(),
    version: z.string(),
    run_id: z.string().nullable(),
    duration_ms: z.number().int(),
    cpu_ms: z.number().int(),
    input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    tool_calls: z.number().int(),
    cost_micro_usd: money,
    created_at: z.string(),
    booked_at: z.string().nullable().meta({ description: "Null: not priced and counted yet." }),
  })
  .meta({ id: "UsageRecord" });
export type UsageRecordOut = z.infer<typeof usageRecord>;

export const checkoutBody = z
  .object({
    user_id,
    plan_id: clientId().nullish().meta({ description: "Subscribe to this plan; or else …" }),
    amount_usd_cents: laxInt({ ge: 50, le: 99_999_999 })
      .nullish()
      .meta({ description: "… top the wallet up by this." }),
    success_url: httpUrl(),
    cancel_url: httpUrl().nullish(),
  })
  .meta({
    id: "CheckoutBody",
    example: { amount_usd_cents: 2000, success_url: "https://example.com/thanks" },
  });
export const portalBody = z
  .object({ user_id, return_url: httpUrl() })
  .meta({ id: "PortalBody", example: { return_url: "https://example.com/account" } });
/** A page of the provider's, where the user goes on. */
export const hostedPage = z.object({ id: z.string(), url: z.string() }).meta({ id: "HostedPage" });
