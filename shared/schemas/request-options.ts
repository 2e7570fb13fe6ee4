import { z } from "zod";
import { runLimits } from "../domain/run/run-limits.ts";
import { clientId, laxFloat, laxInt, text, timestamp } from "./primitives.ts";

const dayMs = 24 * 3_600_000;
/** No run starts later than this after its request. */
export const maxDelayMs = 366 * dayMs;

/**
 * What a request asks of its run. None widens what the agent's config says: of two bounds the smaller one counts. Where the
 * config is silent, the request's counts instead of the service's default.
 */
export const requestOptions = {
  priority: laxInt({ ge: 0, le: 86_400 }).nullish().meta({
    description: "While runs wait, this one goes before its user's runs that came up to so many seconds earlier.",
  }),
  queue_ttl_ms: laxInt({ ge: 1_000, le: 30 * dayMs })
    .nullish()
    .meta({ description: "The run expires when no worker claims it within this time." }),
  timeout_ms: laxInt({ ge: 1, le: runLimits.max_timeout_ms })
    .nullish()
    .meta({ description: "The run ends as `timeout` after this time." }),
  max_attempts: laxInt({ ge: 1, le: 100 }).nullish().meta({
    description:
      "The run ends after so many lost workers, or so many tries of the config's `retry`. A drain and an answer start its agent again and aren't counted.",
  }),
  max_cost_usd: laxFloat({ ge: 0 }).nullish().meta({
    description:
      "What the run may cost. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended (`budget_exceeded`).",
  }),
  max_tokens: laxInt({ ge: 0 }).nullish().meta({ description: "The same for input and output tokens together." }),
  concurrency_key: text({ min: 1, max: 256 }).nullish().meta({
    description: "Of the agent's runs with this key, at most `key_concurrency` run at once. The others wait.",
  }),
  key_concurrency: laxInt({ ge: 1, le: 1_000 })
    .nullish()
    .meta({ description: "Left out: the `key_concurrency` of the agent's config, else 1." }),
};

/** The options of a request that a run keeps: those that the request named. */
export const givenOptions = z.object({
  priority: z.number().optional(),
  queue_ttl_ms: z.number().optional(),
  timeout_ms: z.number().optional(),
  max_attempts: z.number().optional(),
  max_cost_usd: z.number().optional(),
  max_tokens: z.number().optional(),
  concurrency_key: z.string().optional(),
  key_concurrency: z.number().optional(),
});
export type GivenOptions = z.infer<typeof givenOptions>;

type Asked = { [Name in keyof GivenOptions]?: GivenOptions[Name] | null | undefined };

/** Returns the options that a request names; null for none. */
export function optionsOf(request: Asked): GivenOptions | null {
  const names = Object.keys(requestOptions) as (keyof GivenOptions)[];
  const given = names.filter((name) => request[name] != null).map((name) => [name, request[name]]);
  return given.length === 0 ? null : (Object.fromEntries(given) as GivenOptions);
}

/** When a request's run starts, if not at once. At most one of the three. */
export const startOptions = {
  delay_ms: laxInt({ ge: 0, le: maxDelayMs }).nullish().meta({ description: "The run is queued after this time." }),
  run_at: timestamp().nullish().meta({ description: "The run is queued at this time. A time that has passed is now." }),
  debounce: z
    .object({
      key: clientId(),
      delay_ms: laxInt({ ge: 0, le: maxDelayMs }),
    })
    .nullish()
    .meta({
      description:
        "The run is queued after `delay_ms`. A request for the same agent with the same key that comes earlier replaces the waiting run's request and starts its delay again; its answer is the same run. An `Idempotency-Key` is not looked at.",
    }),
};
