import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { type Field, field, refuse } from "./field.ts";
import { choice, clientId, timestamp } from "./primitives.ts";

const units = ["hour", "day", "week", "month"] as const;

/** An IANA name, no offset. */
const timezone = (): Field<string> =>
  field(
    (value) => (isTimezone(value) ? value : refuse("value_error", "Value error, this is no time zone's IANA name")),
    { type: "string", example: "Europe/Berlin" },
  );

function isTimezone(value: unknown): value is string {
  if (typeof value !== "string" || !/^[A-Za-z][A-Za-z0-9_+/-]{1,63}$/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).resolvedOptions().timeZone.length > 0;
  } catch {
    return false;
  }
}

/** The time range of analytics. */
export const timeRangeQuery = z.object({
  since: timestamp()
    .optional()
    .meta({ description: "Only runs that ended at or after this time. Left out: 30 days before `until`." }),
  until: timestamp().optional().meta({ description: "Only runs that ended before this time. Left out: now." }),
});

/** A time range in buckets of calendar units. */
export const seriesQuery = timeRangeQuery.extend({
  unit: choice(units).default("day").meta({ description: "The unit of `series`. A week begins on Monday." }),
  timezone: timezone()
    .default("UTC")
    .meta({ description: "The IANA time zone of the hours, days, weeks and months in `series`." }),
});

export const userScope = {
  user_id: clientId().optional().meta({ description: "Only runs of this user. Only an admin may name another user." }),
};

const count = z.number().int();
const ms = z.number().nullable();
const percentiles = z.object({ p50: ms, p95: ms, p99: ms }).meta({
  id: "Percentiles",
  example: { p50: 840, p95: 2100, p99: 3900 },
  description: "Exact within 9 %. Null: there are no values.",
});

export const runAnalytics = z
  .object({
    runs: count.meta({ description: "The number of ended runs." }),
    success: count,
    error: count,
    timeout: count,
    cancelled: count,
    expired: count,
    success_rate: z
      .number()
      .nullable()
      .meta({ description: "The share of successful runs among the ended runs. Null: no run has ended." }),
    duration_ms: z.number().meta({ description: "The sum of all durations." }),
    cpu_ms: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number(),
  })
  .meta({
    id: "Figures",
    example: {
      runs: 118,
      success: 114,
      error: 3,
      timeout: 1,
      cancelled: 0,
      expired: 0,
      success_rate: 0.966,
      duration_ms: 100_800,
      cpu_ms: 9600,
      input_tokens: 48_000,
      output_tokens: 12_000,
      cost_usd: 0.42,
    },
  });
export type RunAnalytics = z.infer<typeof runAnalytics>;

const bucket = runAnalytics.extend({ start: z.string(), latency_ms: percentiles }).meta({
  id: "FiguresBucket",
  example: { ...exampleOf(runAnalytics), start: "2026-11-21T00:00:00.000Z", latency_ms: exampleOf(percentiles) },
  description: "`start` is the start of the calendar unit, which may be before `since`.",
});

const ofAgent = { agent_id: "hello-agent", since: "2026-10-22T10:00:00.000Z", until: "2026-11-21T10:00:00.000Z" };
const timeRange = { since: z.string(), until: z.string() };
const openRuns = z.object({ scheduled: count, queued: count, running: count, interrupted: count, suspended: count });
const spread = { latency_ms: percentiles, queue_ms: percentiles };

export const studioAnalytics = z
  .object({
    ...timeRange,
    unit: z.enum(units),
    timezone: z.string(),
    totals: runAnalytics.extend(spread),
    open: openRuns.meta({ description: "The current numbers of runs that have not ended." }),
    series: z.array(bucket).meta({ description: "All buckets of the time range. A bucket without runs has zeros." }),
  })
  .meta({
    id: "StudioFigures",
    example: {
      since: "2026-11-21T00:00:00.000Z",
      until: "2026-11-22T10:00:00.000Z",
      unit: "day",
      timezone: "UTC",
      totals: {
        ...exampleOf(runAnalytics),
        latency_ms: exampleOf(percentiles),
        queue_ms: { p50: 6, p95: 40, p99: 95 },
      },
      open: { scheduled: 0, queued: 1, running: 2, interrupted: 0, suspended: 0 },
      series: [exampleOf(bucket)],
    },
  });

export const studioAgent = runAnalytics
  .extend({
    agent_id: z.string(),
    user_id: z.string(),
    name: z.string(),
    status: z.string(),
    current_version: z.string(),
    latency_ms: percentiles,
    last_run_at: z.string().nullable(),
  })
  .meta({
    id: "StudioAgent",
    example: {
      ...exampleOf(runAnalytics),
      agent_id: "hello-agent",
      user_id: "ada",
      name: "hello-agent",
      status: "active",
      current_version: "1.0.0",
      latency_ms: exampleOf(percentiles),
      last_run_at: "2026-11-21T10:00:00.000Z",
    },
  });

const step = z.object({ from: z.number(), to: z.number(), count });

export const distribution = z
  .object({
    ...percentiles.shape,
    steps: z.array(step).meta({
      description: "The histogram: the number of values with `from` ≤ value < `to`, in steps of the square root of 2.",
    }),
  })
  .meta({
    id: "Distribution",
    example: {
      ...exampleOf(percentiles),
      steps: [
        { from: 724, to: 1024, count: 80 },
        { from: 1024, to: 1448, count: 38 },
      ],
    },
  });

export const latencyDistribution = z
  .object({ agent_id: z.string(), ...timeRange, duration_ms: distribution, queue_ms: distribution })
  .meta({
    id: "LatencyDistribution",
    example: { ...ofAgent, duration_ms: exampleOf(distribution), queue_ms: exampleOf(distribution) },
  });

export const tokenDistribution = z
  .object({ agent_id: z.string(), ...timeRange, tokens: distribution })
  .meta({ id: "TokenDistribution", example: { ...ofAgent, tokens: exampleOf(distribution) } });

export const sessionDepth = z
  .object({
    agent_id: z.string(),
    ...timeRange,
    threads: count.meta({
      description: "The number of threads that were created in the time range; at most the newest 5,000 are counted.",
    }),
    mean: z.number().nullable(),
    depths: z
      .array(z.object({ runs: count, threads: count }))
      .meta({ description: "The number of threads for each number of runs." }),
  })
  .meta({
    id: "SessionDepth",
    example: {
      ...ofAgent,
      threads: 12,
      mean: 2.5,
      depths: [
        { runs: 2, threads: 6 },
        { runs: 3, threads: 6 },
      ],
    },
  });

const agentError = z
  .object({
    code: z.string(),
    count,
    share: z.number().meta({ description: "The share of all ended runs." }),
    last: z
      .object({ run_id: z.string(), version: z.string(), message: z.string(), at: z.string() })
      .nullable()
      .meta({ description: "The last run with this error, if it is among the agent's last 500 failures." }),
  })
  .meta({
    id: "AgentError",
    example: {
      code: "agent_error",
      count: 3,
      share: 0.025,
      last: {
        run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
        version: "1.0.0",
        message: "no luck",
        at: "2026-11-21T10:00:00.000Z",
      },
    },
  });

export const agentErrors = z
  .object({ agent_id: z.string(), ...timeRange, runs: count, data: z.array(agentError) })
  .meta({ id: "AgentErrors", example: { ...ofAgent, runs: 118, data: [exampleOf(agentError)] } });

export const usageEntry = z
  .object({
    id: z.string(),
    run_id: z.string(),
    agent_id: z.string(),
    version: z.string(),
    user_id: z.string(),
    thread_id: z.string().nullable(),
    job_id: z.string().nullable(),
    status: z.string(),
    error_code: z.string().nullable(),
    duration_ms: z.number().nullable(),
    cpu_ms: z.number(),
    input_tokens: z.number(),
    output_tokens: z.number(),
    cost_usd: z.number(),
    created_at: z.string(),
    completed_at: z.string().nullable(),
  })
  .meta({
    id: "UsageEntry",
    example: {
      id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      agent_id: "hello-agent",
      version: "1.0.0",
      user_id: "ada",
      thread_id: null,
      job_id: null,
      status: "success",
      error_code: null,
      duration_ms: 1194,
      cpu_ms: 38,
      input_tokens: 400,
      output_tokens: 100,
      cost_usd: 0.0035,
      created_at: "2026-11-21T10:00:00.000Z",
      completed_at: "2026-11-21T10:00:01.200Z",
    },
  });
export type UsageEntry = z.infer<typeof usageEntry>;
