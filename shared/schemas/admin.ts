import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { choice, clientId, laxInt, pageQuery, text, timestamp } from "./primitives.ts";
import { runAnalytics, timeRangeQuery } from "./analytics.ts";
import { timeRange } from "./run-filter.ts";
import { userRecord } from "./user.ts";

const count = z.number().int();

/** The queues that can be paused: starting runs, sending callbacks. */
export const queueNames = ["runs", "callbacks"] as const;
export type QueueName = (typeof queueNames)[number];

export const queueParams = z.object({ queue_id: text({ max: 128 }).meta({ example: "runs" }) });

export const queueState = z
  .object({
    name: z.enum(queueNames),
    paused: z.boolean(),
    paused_by: z.string().nullable(),
    paused_at: z.string().nullable(),
    waiting: count.meta({ description: "The number of queued runs, or of callbacks to be sent." }),
    active: count.meta({ description: "The number of running runs, or of callbacks that are being sent." }),
    oldest_ms: z.number().int().nullable().meta({ description: "How long the oldest due entry has waited." }),
    dead: count.meta({ description: "The number of given up callbacks." }),
    nudges: z
      .record(z.string(), z.number())
      .nullable()
      .meta({ description: "The numbers of queue jobs in Redis. Null: Redis is unreachable." }),
  })
  .meta({
    id: "QueueState",
    example: {
      name: "runs",
      paused: false,
      paused_by: null,
      paused_at: null,
      waiting: 1,
      active: 2,
      oldest_ms: 12,
      dead: 0,
      nudges: { waiting: 1, active: 2 },
    },
  });
export type QueueState = z.infer<typeof queueState>;

export const adminOverview = z
  .object({
    workers: z.object({ active: count, draining: count, slots: count, busy: count }),
    runs: z.object({ scheduled: count, queued: count, running: count, interrupted: count, suspended: count }),
    last_day: runAnalytics.meta({ description: "Analytics of the runs that ended in the last 24 hours." }),
    queues: z.array(queueState),
    daemons: z.record(z.string(), count).meta({ description: "The number of daemons by status." }),
    users: count,
    agents: count,
  })
  .meta({
    id: "AdminOverview",
    example: {
      workers: { active: 2, draining: 0, slots: 8, busy: 2 },
      runs: { scheduled: 0, queued: 1, running: 2, interrupted: 0, suspended: 0 },
      last_day: exampleOf(runAnalytics),
      queues: [exampleOf(queueState)],
      daemons: { running: 1, stopped: 3 },
      users: 3,
      agents: 4,
    },
  });

const setting = z
  .object({
    name: z.string(),
    is_set: z.boolean().meta({ description: "False: the default holds." }),
    value: z
      .union([z.string(), z.number()])
      .nullable()
      .meta({ description: "Null: there is none, it is a list, or it may be a secret." }),
  })
  .meta({ id: "Setting", example: { name: "PORT", is_set: false, value: 8080 } });

export const serviceConfig = z
  .object({ object: z.literal("config"), data: z.array(setting) })
  .meta({ id: "ServiceConfig", example: { object: "config", data: [exampleOf(setting)] } });

export const deadLetterQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  run_id: clientId().optional().meta({ description: "Only things of this run." }),
  ...timeRange,
});

/** A message that was given up, without its body. */
export const deadLetter = z
  .object({
    id: z.string(),
    object: z.literal("dead_letter"),
    user_id: z.string(),
    run_id: z.string().nullable(),
    webhook_id: z.string().nullable(),
    type: z.string(),
    url_host: z.string(),
    tries: count,
    last_error: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({
    id: "DeadLetter",
    example: {
      id: "msg_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "dead_letter",
      user_id: "ada",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      webhook_id: null,
      type: "run.success",
      url_host: "example.com",
      tries: 8,
      last_error: "http_500",
      created_at: "2026-11-21T10:00:00.000Z",
    },
  });
export type DeadLetter = z.infer<typeof deadLetter>;

export const fleetHistoryQuery = z.object({
  since: timestamp().optional().meta({ description: "From this time on. Left out: 24 hours before `until`." }),
  until: timestamp().optional().meta({ description: "Before this time. Left out: now." }),
  pool: text({ min: 1, max: 64 }).optional().meta({ description: "Only this pool. Left out: all pools together." }),
});

export const fleetHistory = z
  .object({
    object: z.literal("fleet_history"),
    since: z.string(),
    until: z.string(),
    step_ms: count.meta({
      description: "How long each step is: a minute, or longer where there would be more than 120 steps.",
    }),
    data: z.array(
      z.object({
        at: z.string().meta({ description: "When the step begins." }),
        slots: count,
        busy: count.meta({ description: "Slots that were taken." }),
        queued: count.meta({ description: "Runs that were queued." }),
        oldest_ms: z.number().nullable().meta({ description: "For how long the oldest queued run had waited." }),
      }),
    ),
  })
  .meta({
    id: "FleetHistory",
    example: {
      object: "fleet_history",
      since: "2026-11-20T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      step_ms: 720_000,
      data: [{ at: "2026-11-20T10:00:00.000Z", slots: 48, busy: 31, queued: 0, oldest_ms: null }],
    },
  });

export const costQuery = timeRangeQuery.extend({
  by: choice(["user", "agent"]).default("user").meta({ description: "What the costs are grouped by." }),
  limit: laxInt({ ge: 1, le: 100 })
    .default(20)
    .meta({ description: "The largest number of groups to return, the most expensive first." }),
});

const costEntry = runAnalytics.extend({ id: z.string().meta({ description: "The id of the user or the agent." }) });
export const costs = z
  .object({
    since: z.string(),
    until: z.string(),
    by: z.enum(["user", "agent"]),
    total: runAnalytics,
    data: z.array(costEntry).meta({ description: "Most expensive first." }),
  })
  .meta({
    id: "Costs",
    example: {
      since: "2026-10-22T10:00:00.000Z",
      until: "2026-11-21T10:00:00.000Z",
      by: "user",
      total: exampleOf(runAnalytics),
      data: [{ ...exampleOf(runAnalytics), id: "ada" }],
    },
  });

export const workerParams = z.object({
  worker_id: text({ max: 512 }).meta({ example: "worker_019aa5e0a1b27c3e8f4b2a6d9e0f1a2b" }),
});

export const dismissedWorker = z
  .object({ id: z.string(), dismissal: z.enum(["drain", "kill"]) })
  .meta({ id: "DismissedWorker", example: { id: "worker_019aa5e0a1b27c3e8f4b2a6d9e0f1a2b", dismissal: "drain" } });

export const killBody = z
  .object({ reason: text({ min: 1, max: 500 }).default("killed by an operator") })
  .default({ reason: "killed by an operator" })
  .meta({ example: { reason: "it spends too much" } });

export const adminUser = userRecord
  .extend({ figures: runAnalytics })
  .meta({ id: "AdminUser", example: { ...exampleOf(userRecord), figures: exampleOf(runAnalytics) } });
