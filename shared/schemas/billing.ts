import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { subscriptionStatuses } from "./billing-event.ts";
import { microUsd, money, planRecord } from "./plan.ts";
import { choice, clientId, httpUrl, laxBool, laxInt, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";

const user_id = clientId().nullish().meta({ description: "The user. Left out: the caller." });
export const ofUser = {
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  ...timeRange,
};

const spendPeriods = ["day", "week", "month"] as const;

/** The body of PUT /v1/billing/spend-limit. */
export const spendLimitBody = z
  .object({
    user_id,
    period: choice(spendPeriods)
      .default("month")
      .meta({ description: "A calendar period in UTC. A week begins on Monday." }),
    amount_micro_usd: microUsd(0).nullable().meta({ description: "Null removes the limit." }),
    enforced: laxBool()
      .default(true)
      .meta({ description: "True: runs beyond the limit are refused (402). False: the user is only notified." }),
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
  .meta({
    id: "SpendLimit",
    example: {
      period: "month",
      amount_micro_usd: 50_000_000,
      spent_micro_usd: 1_250_000,
      period_started_at: "2026-11-01T00:00:00.000Z",
      enforced: true,
    },
  });
export type SpendLimitRecord = z.infer<typeof spendLimit>;

export const wallet = z
  .object({
    object: z.literal("wallet"),
    user_id: z.string(),
    balance_micro_usd: money,
    plan: planRecord.nullable().meta({ description: "Null: no plan limits the user." }),
    week: z.object({
      started_at: z.string(),
      ends_at: z.string(),
      runs: z.number().int(),
      micro_usd: money,
    }),
    spend_limits: z.array(spendLimit),
  })
  .meta({
    id: "Wallet",
    example: {
      object: "wallet",
      user_id: "ada",
      balance_micro_usd: 5_000_000,
      plan: exampleOf(planRecord),
      week: {
        started_at: "2026-11-16T00:00:00.000Z",
        ends_at: "2026-11-23T00:00:00.000Z",
        runs: 120,
        micro_usd: 420_000,
      },
      spend_limits: [exampleOf(spendLimit)],
    },
  });
export type WalletRecord = z.infer<typeof wallet>;

export const subscriptionParams = z.object({
  subscription_id: text({ max: 512 }).meta({ example: "sub_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }),
});
export const subscriptionBody = z
  .object({ user_id, plan_id: clientId() })
  .meta({ id: "SubscriptionBody", example: { plan_id: "free" } });
export const subscriptionQuery = pageQuery.extend({
  ...ofUser,
  status: choice(subscriptionStatuses).optional().meta({ description: "Only things with this status." }),
});
export const subscriptionRecord = z
  .object({
    id: z.string(),
    object: z.literal("subscription"),
    user_id: z.string(),
    plan_id: z.string().nullable(),
    provider_subscription_id: z.string().nullable().meta({ description: "Null: created here and not paid." }),
    status: z.enum(subscriptionStatuses),
    current_period_start: z.string().nullable(),
    current_period_end: z.string().nullable(),
    trial_end: z.string().nullable(),
    cancel_at_period_end: z.boolean(),
    canceled_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({
    id: "Subscription",
    example: {
      id: "sub_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "subscription",
      user_id: "ada",
      plan_id: "small",
      provider_subscription_id: "sub_1P",
      status: "active",
      current_period_start: "2026-11-01T00:00:00.000Z",
      current_period_end: "2026-12-01T00:00:00.000Z",
      trial_end: null,
      cancel_at_period_end: false,
      canceled_at: null,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type SubscriptionRecord = z.infer<typeof subscriptionRecord>;

export const transactionBody = z
  .object({
    user_id: clientId(),
    amount_micro_usd: laxInt({ ge: -1e12, le: 1e12 }).meta({
      description: "Added to the wallet. A negative amount is taken from it.",
    }),
    description: text({ min: 1, max: 1024 }).nullish(),
  })
  .meta({ id: "TransactionBody", example: { user_id: "ada", amount_micro_usd: 5_000_000, description: "Welcome" } });
const transactionTypes = ["top_up", "refund", "usage", "grant"] as const;
export const transactionQuery = pageQuery.extend({
  ...ofUser,
  type: choice(transactionTypes).optional().meta({ description: "Only bookings of this type." }),
});
export const transactionRecord = z
  .object({
    id: z.string(),
    object: z.literal("transaction"),
    user_id: z.string(),
    type: z.string(),
    amount_micro_usd: money.meta({ description: "Positive: added to the wallet. Negative: taken from it." }),
    description: z.string().nullable(),
    source: z.string().meta({ description: "The cause of the booking: `payment`, `usage` or `manual`." }),
    source_id: z.string(),
    entries: z
      .array(z.object({ account: z.string(), amount_micro_usd: money }))
      .meta({ description: "Double-entry bookkeeping: the entries sum to 0." }),
    created_at: z.string(),
  })
  .meta({
    id: "Transaction",
    example: {
      id: "txn_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "transaction",
      user_id: "ada",
      type: "grant",
      amount_micro_usd: 5_000_000,
      description: "Welcome",
      source: "manual",
      source_id: "txn_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      entries: [
        { account: "wallet", amount_micro_usd: 5_000_000 },
        { account: "grant", amount_micro_usd: -5_000_000 },
      ],
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type TransactionRecord = z.infer<typeof transactionRecord>;

export const usageQuery = pageQuery.extend({
  ...ofUser,
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  run_id: clientId().optional().meta({ description: "Only things of this run." }),
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
    tool_calls: z.number().int().meta({
      description:
        "How many `tool.start` events the attempts sent that ended by themselves. Those of attempts that were lost or handed over are left out.",
    }),
    cost_micro_usd: money,
    created_at: z.string(),
    booked_at: z.string().nullable().meta({ description: "Null: not booked yet." }),
  })
  .meta({
    id: "UsageRecord",
    example: {
      id: "usage_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "usage",
      user_id: "ada",
      agent_id: "hello-agent",
      version: "1.0.0",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      duration_ms: 1194,
      cpu_ms: 38,
      input_tokens: 400,
      output_tokens: 100,
      tool_calls: 1,
      cost_micro_usd: 3500,
      created_at: "2026-11-21T10:00:01.200Z",
      booked_at: "2026-11-21T10:00:05.000Z",
    },
  });
export type UsageRecordOut = z.infer<typeof usageRecord>;

export const checkoutBody = z
  .object({
    user_id,
    plan_id: clientId().nullish().meta({ description: "The plan to subscribe to. Send this or `amount_usd_cents`." }),
    amount_usd_cents: laxInt({ ge: 50, le: 99_999_999 })
      .nullish()
      .meta({ description: "The amount of a wallet top-up. Send this or `plan_id`." }),
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
/** A page of the payment provider. */
export const hostedPage = z
  .object({ id: z.string(), url: z.string() })
  .meta({ id: "HostedPage", example: { id: "cs_test_1P", url: "https://checkout.stripe.com/c/pay/cs_test_1P" } });
