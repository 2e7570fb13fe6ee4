import { z } from "zod";
import { choice, clientId, laxBool, laxInt, text } from "./primitives.ts";

/** Money: 1 USD is 1,000,000. As much as a JSON number holds exactly. */
export const microUsd = (ge: number) => laxInt({ ge, le: Number.MAX_SAFE_INTEGER });
export const money = z.number().int().meta({ description: "Micro-USD: 1 USD is 1,000,000." });

export const planParams = z.object({ plan_id: clientId().meta({ example: "small" }) });

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
  .meta({
    id: "Plan",
    example: {
      id: "small",
      object: "plan",
      name: "Small",
      price_micro_usd: 20_000_000,
      interval: "month",
      provider_price_id: "price_1P",
      weekly_runs: 1000,
      weekly_micro_usd: null,
      max_concurrent_runs: 10,
      max_queued_runs: 100,
      prepaid: false,
      second_micro_usd: 0,
      active: true,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type PlanRecord = z.infer<typeof planRecord>;
