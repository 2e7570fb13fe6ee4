import { z } from "zod";
import { choice, clientId, laxBool, laxInt, text } from "./primitives.ts";

/** An amount of money: 1 USD is 1,000,000. At most what a JSON number holds exactly. */
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
      .meta({ description: "The id of the plan's price at the payment provider." }),
    weekly_runs: laxInt({ ge: 0, le: 1e9 })
      .nullish()
      .meta({ description: "Null: no limit. The same holds for the other limits." }),
    weekly_micro_usd: microUsd(0).nullish(),
    max_concurrent_runs: laxInt({ ge: 0, le: 1e9 })
      .nullish()
      .meta({ description: "The largest number of runs that have not ended, including queued ones." }),
    max_queued_runs: laxInt({ ge: 0, le: 1e9 })
      .nullish()
      .meta({ description: "The largest number of runs that wait in the queue, including delayed ones." }),
    requests_per_minute: laxInt({ ge: 1, le: 1e9 })
      .nullish()
      .meta({ description: "Requests of each user with all keys together. Null: as RATE_LIMIT_PER_MINUTE says." }),
    prepaid: laxBool()
      .default(false)
      .meta({ description: "True: runs are paid from the wallet, and an empty wallet refuses runs." }),
    second_micro_usd: laxInt({ ge: 0, le: 1e9 }).default(0).meta({
      description: "The price of a second of run time, in addition to the `cost_usd` that the agent reports.",
    }),
    active: laxBool().default(true).meta({ description: "False: users can't choose the plan any more." }),
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
    requests_per_minute: z.number().int().nullable(),
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
      requests_per_minute: null,
      prepaid: false,
      second_micro_usd: 0,
      active: true,
      created_at: "2026-11-21T10:00:00.000Z",
      updated_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type PlanRecord = z.infer<typeof planRecord>;
