import { z } from "zod";
import { tagList } from "./labels.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { choice, clientId, httpUrl, includeQuery, metadataObject, pageQuery, text } from "./primitives.ts";
import { deliveryRange } from "./redelivery.ts";
import { timeRange } from "./run-filter.ts";

/** A type, a family of types, or all. A misspelt type would never match, so it is refused. */
const eventPattern =
  /^(\*|run\.(\*|queued|started|success|error|timeout|cancelled|expired|interrupted)|daemon\.(\*|running|degraded|paused|backoff|stopped|failed)|notification\.(\*|[a-z0-9_]+(\.[a-z0-9_]+)*))$/;

const events = () =>
  z
    .array(text({ max: 80, pattern: eventPattern }))
    .min(1)
    .max(50);

const statuses = ["active", "paused", "disabled"] as const;

/** What a webhook hears of, beside the types of its events. */
const agentIds = () => z.array(clientId()).max(100);
const runStatusList = () => z.array(choice(runStatuses)).max(runStatuses.length);
const filterDocs = {
  agent_ids: "Only events of these agents. Empty: of all, and those of no agent.",
  statuses: "Of the events of runs, only those of runs with one of these statuses. Empty: of all.",
  tags: "Of the events of runs, only those of runs with one of these tags. Empty: of all.",
};

export const webhookParams = z.object({
  webhook_id: text({ max: 512 }).meta({ example: "webhook_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }),
});

/** The body of POST /v1/webhooks. */
export const webhookBody = z
  .object({
    user_id: clientId().nullish().meta({ description: "The user whose events are sent. Left out: the caller." }),
    url: httpUrl().meta({ description: "A public http or https URL. Private addresses are refused." }),
    events: events().default(["*"]).meta({
      description:
        "Event types such as `run.success`, `run.*`, `daemon.failed` or `notification.*`. `*` means all events, but for `run.queued` and `run.started`: these must be named.",
    }),
    agent_ids: agentIds().default([]).meta({ description: filterDocs.agent_ids }),
    statuses: runStatusList().default([]).meta({ description: filterDocs.statuses }),
    tags: tagList().default([]).meta({ description: filterDocs.tags }),
    description: text({ max: 500 }).nullish(),
    metadata: metadataObject().nullish(),
  })
  .meta({ id: "WebhookBody", example: { url: "https://example.com/hook", events: ["run.*", "daemon.failed"] } });

/** The body of PATCH /v1/webhooks/{webhook_id}. */
export const webhookPatch = z
  .object({
    url: httpUrl().optional(),
    events: events().optional(),
    agent_ids: agentIds().optional().meta({ description: filterDocs.agent_ids }),
    statuses: runStatusList().optional().meta({ description: filterDocs.statuses }),
    tags: tagList().optional().meta({ description: filterDocs.tags }),
    description: text({ max: 500 }).nullish(),
    status: choice(["active", "paused"])
      .optional()
      .meta({ description: "`active` enables a paused or disabled webhook." }),
    metadata: metadataObject()
      .nullish()
      .meta({ description: "Merged into the existing metadata. Null removes a key, or all metadata." }),
  })
  .meta({ id: "WebhookPatch", example: { status: "paused" } });
export type WebhookPatch = z.infer<typeof webhookPatch>;

export const webhookListQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  status: choice(statuses).optional().meta({ description: "Only things with this status." }),
  ...timeRange,
});

const example = {
  id: "webhook_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
  object: "webhook" as const,
  user_id: "ada",
  url: "https://example.com/hook",
  description: null,
  events: ["run.*", "daemon.failed"],
  agent_ids: [],
  statuses: [],
  tags: [],
  status: "active" as const,
  disabled_reason: null,
  failures: 0,
  metadata: {},
  created_at: "2026-11-21T10:00:00.000Z",
  updated_at: "2026-11-21T10:00:00.000Z",
};

const webhook = z.object({
  id: z.string(),
  object: z.literal("webhook"),
  user_id: z.string(),
  url: z.string(),
  description: z.string().nullable(),
  events: z.array(z.string()),
  agent_ids: z.array(z.string()),
  statuses: z.array(z.string()),
  tags: z.array(z.string()),
  status: z
    .enum(statuses)
    .meta({ description: "`disabled`: the service disabled the webhook; `disabled_reason` says why." }),
  disabled_reason: z.string().nullable(),
  failures: z.number().int().meta({ description: "The number of given up deliveries since the last successful one." }),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
  updated_at: z.string(),
});
export const webhookRecord = webhook.meta({ id: "Webhook", example });
export type WebhookRecord = z.infer<typeof webhookRecord>;

const secret = z
  .string()
  .meta({ description: "The secret of the Standard Webhooks signature. It is only shown in this answer." });
export const newWebhook = webhook
  .extend({ secret })
  .meta({ id: "NewWebhook", example: { ...example, secret: "whsec_…" } });

export const rotatedSecret = z
  .object({ webhook_id: z.string(), secret })
  .meta({ id: "WebhookSecret", example: { webhook_id: example.id, secret: "whsec_…" } });

const deliveryStatuses = ["pending", "delivered", "exhausted"] as const;

/** The body of POST /v1/webhooks/{webhook_id}/redeliver: one delivery, or all of a time. */
export const redeliverBody = z
  .object({
    ...deliveryRange,
    status: choice(deliveryStatuses)
      .default("exhausted")
      .meta({ description: "Which of them: by default those that were given up." }),
  })
  .meta({ id: "RedeliverBody", example: { since: "2026-11-21T00:00:00Z", status: "exhausted" } });

/** The largest number of deliveries that one request sends again. */
export const mostRedelivered = 1_000;

export const deliveryListQuery = pageQuery.extend({
  status: choice(deliveryStatuses).optional().meta({ description: "Only things with this status." }),
  type: text({ max: 80 }).optional().meta({ description: "Only deliveries of this event type." }),
  ...timeRange,
  ...includeQuery(["payload"]),
});

/** A delivery to a webhook. Its id is the header `webhook-id` of every attempt. */
export const deliveryRecord = z
  .object({
    id: z.string(),
    object: z.literal("delivery"),
    webhook_id: z.string(),
    type: z.string(),
    run_id: z.string().nullable(),
    status: z.enum(deliveryStatuses),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    next_attempt_at: z.string().nullable(),
    created_at: z.string(),
    delivered_at: z.string().nullable(),
    tries: z.array(
      z.object({
        try: z.number().int(),
        status_code: z.number().int().nullable(),
        error: z.string().nullable(),
        hint: z.string().nullable().meta({ description: "What to do about the error, where that is known." }),
        duration_ms: z.number().int(),
        at: z.string(),
      }),
    ),
    payload: z.unknown().optional().meta({
      description:
        "The body that is sent, with `?include=payload`. Null: the run's record as `GET /v1/runs/{run_id}` has it at the time of a try.",
    }),
  })
  .meta({
    id: "Delivery",
    example: {
      id: "msg_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "delivery",
      webhook_id: example.id,
      type: "run.success",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      status: "delivered",
      attempts: 1,
      last_error: null,
      next_attempt_at: null,
      created_at: example.created_at,
      delivered_at: example.updated_at,
      tries: [{ try: 1, status_code: 204, error: null, hint: null, duration_ms: 41, at: example.updated_at }],
    },
  });
export type DeliveryRecord = z.infer<typeof deliveryRecord>;

/** The answer of POST /v1/webhooks/{webhook_id}/redeliver: the one delivery, or how many there were. */
export const redelivered = z.union([
  deliveryRecord,
  z
    .object({
      object: z.literal("redelivery"),
      redelivered: z.number().int(),
      has_more: z.boolean(),
      last_id: z.string().nullable(),
    })
    .meta({ id: "Redelivery" }),
]);
