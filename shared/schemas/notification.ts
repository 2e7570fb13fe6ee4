import { z } from "zod";
import { choice, clientId, laxBool, metadataObject, pageQuery, text } from "./primitives.ts";
import { timeRange } from "./run-filter.ts";
import { me } from "./user.ts";

const levels = ["info", "warning", "error"] as const;

/** The type of a notification: `run.error`, `daemon.failed`, or a client's own. */
const notificationType = () => text({ max: 64, pattern: /^[a-z0-9_]+(\.[a-z0-9_]+)*$/ });

export const notificationParams = z.object({
  notification_id: text({ max: 512 }).meta({ example: "notif_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b" }),
});

/** The body of POST /v1/notifications. */
export const notificationBody = z
  .object({
    user_id: clientId().nullish().meta({ description: "The user to notify. Left out: the caller." }),
    type: notificationType(),
    level: choice(levels).default("info"),
    title: text({ min: 1, max: 200 }),
    body: text({ max: 4000 }).nullish(),
    data: metadataObject().nullish(),
    agent_id: clientId().nullish(),
    run_id: clientId().nullish(),
    dedup_key: text({ min: 1, max: 200 })
      .nullish()
      .meta({ description: "A name for the cause. A second notification with the same key is not created." }),
  })
  .meta({
    id: "NotificationBody",
    example: { user_id: "ada", type: "report.ready", title: "Your report is ready", data: { pages: 12 } },
  });

export const notificationListQuery = pageQuery.extend({
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  type: notificationType().optional().meta({ description: "Only notifications of this type." }),
  level: choice(levels).optional().meta({ description: "Only notifications of this level." }),
  unread: laxBool().optional().meta({ description: "True: only unread notifications. False: only read ones." }),
  agent_id: clientId().optional().meta({ description: "Only notifications about this agent." }),
  run_id: clientId().optional().meta({ description: "Only notifications about this run." }),
  ...timeRange,
});

export const notificationRecord = z
  .object({
    id: z.string(),
    object: z.literal("notification"),
    user_id: z.string(),
    type: z.string(),
    level: z.enum(levels),
    title: z.string(),
    body: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    agent_id: z.string().nullable(),
    run_id: z.string().nullable(),
    dedup_key: z.string().nullable(),
    created_at: z.string(),
    read_at: z.string().nullable(),
  })
  .meta({
    id: "Notification",
    example: {
      id: "notif_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      object: "notification",
      user_id: "ada",
      type: "run.error",
      level: "error",
      title: "A run of hello-agent ended as error",
      body: "no luck",
      data: { status: "error", code: "agent_error" },
      agent_id: "hello-agent",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      dedup_key: "run:run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      created_at: "2026-11-21T10:00:00.000Z",
      read_at: null,
    },
  });
export type NotificationRecord = z.infer<typeof notificationRecord>;

/** A message of the stream of notifications. */
export const notificationEvent = z
  .object({ event: z.literal("notification"), id: z.string(), data: notificationRecord })
  .meta({ id: "NotificationEvent", description: "A message of the stream of notifications." });
export type NotificationEvent = z.infer<typeof notificationEvent>;

/** The body of PUT /v1/notifications/{notification_id}. */
export const notificationPut = z.object({ read: laxBool() }).meta({ id: "NotificationPut", example: { read: true } });

export const readBody = z
  .object({
    ids: z
      .array(text({ max: 512 }))
      .min(1)
      .max(1000),
  })
  .meta({ id: "ReadNotifications", example: { ids: ["notif_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b"] } });

export const readAllBody = z
  .object({ user_id: me.shape.user_id, type: notificationType().optional() })
  .default({})
  .meta({ example: { type: "run.error" } });

export const readAnswer = z.object({ changed: z.number().int() }).meta({ id: "ReadAnswer", example: { changed: 3 } });

export const unreadCount = z.object({ unread: z.number().int() }).meta({ id: "UnreadCount", example: { unread: 3 } });

const preferenceType = () => text({ max: 64, pattern: /^(\*|[a-z0-9_]+(\.[a-z0-9_]+)*)$/ });

/** How a user gets notifications of a type. `*` stands for all types without an entry. */
export const preferencesBody = z
  .object({
    preferences: z
      .array(
        z.object({
          type: preferenceType(),
          in_app: laxBool()
            .default(true)
            .meta({ description: "Show notifications of the type in the list and the stream." }),
          webhook: laxBool()
            .default(true)
            .meta({ description: "Send notifications of the type to webhooks that subscribe to it." }),
        }),
      )
      .max(100),
  })
  .meta({ id: "PreferencesBody", example: { preferences: [{ type: "run.error", in_app: true, webhook: false }] } });

export const preferencesRecord = z
  .object({
    user_id: z.string(),
    preferences: z.array(z.object({ type: z.string(), in_app: z.boolean(), webhook: z.boolean() })),
  })
  .meta({
    id: "Preferences",
    example: { user_id: "ada", preferences: [{ type: "run.error", in_app: true, webhook: false }] },
  });
export type PreferencesRecord = z.infer<typeof preferencesRecord>;
