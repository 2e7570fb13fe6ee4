import { z } from "zod";
import { runStatuses, terminalStatuses } from "../domain/run/run-status.ts";
import { daemonExit, daemonStatuses } from "./daemon.ts";
import { notificationRecord } from "./notification.ts";
import { runError, toldInterrupt, usage } from "./run-event.ts";
import { runRecord } from "./run.ts";

const about = { timestamp: z.string(), agent_id: z.string(), version: z.string() };
const aboutRun = { run_id: z.string(), thread_id: z.string().nullable(), attempt: z.number().int() };

/** What a message leaves out of a run's record: what went into the run, its private state, and the message's own delivery. */
export const omittedOfRun = {
  callback: true,
  input_payload: true,
  env_names: true,
  files: true,
  state_snapshot: true,
  interrupts: true,
} as const;

/** A run has ended: the message of a webhook, and the completion callback. */
const runEndedMessage = z
  .object({
    type: z.enum(terminalStatuses.map((status) => `run.${status}` as const)),
    ...about,
    ...aboutRun,
    status: z.enum(terminalStatuses),
    result_content: z.unknown(),
    result_truncated: z.literal(true).optional().meta({ description: "The result is too large: read `result_url`." }),
    result_url: z.string().optional(),
    duration_ms: z.number().int().nullable(),
    error: runError.nullable(),
    usage: usage.nullable(),
    data: runRecord.omit(omittedOfRun),
  })
  .meta({ id: "RunEndedMessage" });

/** A run was accepted, or an attempt of it begins. Only webhooks that name these types get them. */
const runBegunMessage = z
  .object({ type: z.enum(["run.queued", "run.started"]), ...about, ...aboutRun, status: z.enum(runStatuses) })
  .meta({ id: "RunBegunMessage" });

/** A run asks a person. */
const runInterruptedMessage = z
  .object({
    type: z.literal("run.interrupted"),
    ...about,
    ...aboutRun,
    status: z.literal("interrupted"),
    interrupts: z.array(toldInterrupt),
  })
  .meta({ id: "RunInterruptedMessage" });

const daemonMessage = z
  .object({
    type: z.string().regex(/^daemon\./),
    ...about,
    data: z.object({
      agent_id: z.string(),
      version: z.string(),
      status: z.enum(daemonStatuses),
      previous_status: z.enum(daemonStatuses),
      restarts: z.number().int(),
      last_exit: daemonExit.nullable(),
    }),
  })
  .meta({ id: "DaemonMessageToWebhook" });

const notificationMessage = z
  .object({
    type: z.string().regex(/^notification\./),
    timestamp: z.string(),
    data: notificationRecord.omit({ read_at: true }),
  })
  .meta({ id: "NotificationMessage" });

const testMessage = z
  .object({ type: z.literal("webhook.test"), timestamp: z.string(), data: z.object({ webhook_id: z.string() }) })
  .meta({ id: "WebhookTestMessage" });

/** The body of every request that a webhook receives. */
export const webhookMessage = z
  .union([runEndedMessage, runBegunMessage, runInterruptedMessage, daemonMessage, notificationMessage, testMessage])
  .meta({ id: "WebhookMessage", description: "The body of a request to a webhook. `type` says which one it is." });
