import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { requestLimits } from "../domain/run/request-limits.ts";
import { choice, clientId, jsonObject, laxInt, stringMap, text } from "./primitives.ts";

/** The state that an agent's owner wants its daemon to have. */
export const desiredStates = ["running", "paused", "stopped"] as const;
export type DesiredState = (typeof desiredStates)[number];

/** The actual state. `starting` includes waiting for a worker. `backoff`: the process crashed and will be started again. */
export const daemonStatuses = [
  "stopped",
  "starting",
  "running",
  "degraded",
  "paused",
  "stopping",
  "crashed",
  "backoff",
  "failed",
] as const;
export type DaemonStatus = (typeof daemonStatuses)[number];

/** How a daemon's process ended. `reason` explains it when the code or signal does not. */
export const daemonExit = z.object({
  code: z.number().int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
  at: z.string(),
});
export type DaemonExit = z.infer<typeof daemonExit>;

const healthStates = ["healthy", "degraded", "unknown"] as const;

/** A daemon as every operation shows it. It is `stopped` for an agent that never had a daemon. */
export const daemonRecord = z
  .object({
    agent_id: z.string(),
    object: z.literal("daemon"),
    version: z.string(),
    desired: z.enum(desiredStates),
    status: z.enum(daemonStatuses),
    worker_id: z.string().nullable(),
    pid: z.number().int().nullable(),
    restarts: z
      .number()
      .int()
      .meta({ description: "The number of restarts since the daemon was last started by request." }),
    last_exit: daemonExit.nullable(),
    health: z.object({
      state: z.enum(healthStates),
      last_progress_at: z.string().nullable(),
      busy: z.boolean().meta({ description: "True while the daemon handles a message." }),
    }),
    previous_version: z.string().nullable().meta({
      description:
        "While an upgrade is watched: the version to which the daemon is rolled back when it is not healthy.",
    }),
    started_at: z.string().nullable(),
    uptime_ms: z.number().int().nullable(),
    in_flight: z.number().int().meta({ description: "The number of messages that are being handled." }),
    mailbox_depth: z.number().int().meta({ description: "The number of waiting messages." }),
  })
  .meta({
    id: "Daemon",
    example: {
      agent_id: "hello-agent",
      object: "daemon",
      version: "1.0.0",
      desired: "running",
      status: "running",
      worker_id: "worker_019aa5e0a1b27c3e8f4b2a6d9e0f1a2b",
      pid: 4711,
      restarts: 0,
      last_exit: null,
      health: { state: "healthy", last_progress_at: "2026-11-21T10:00:00.000Z", busy: false },
      previous_version: null,
      started_at: "2026-11-21T10:00:00.000Z",
      uptime_ms: 60_000,
      in_flight: 0,
      mailbox_depth: 0,
    },
  });
export type DaemonRecord = z.infer<typeof daemonRecord>;

const daemonActions = ["status", "start", "stop", "restart", "pause", "resume", "kill", "message"] as const;

/** The settings of actions that start or end a process. */
export const daemonSettings = z.object({
  version: text({ min: 1, max: 128 })
    .nullish()
    .meta({ description: "For start and restart: an exact version, a tag, `current` or `latest`. Null: not changed." }),
  env_vars: stringMap({ max: requestLimits.env_names }).nullish().meta({
    description:
      "For start and restart: the environment variables of the process, which are stored encrypted. Null: not changed.",
  }),
  grace_ms: laxInt({ ge: 0, le: 3_600_000 })
    .nullish()
    .meta({ description: "The grace period in which the process may end by itself. Left out: 10 s." }),
});
export type DaemonSettings = z.infer<typeof daemonSettings>;

/** The body of POST /v1/daemon/{agent_id}/control. */
export const daemonControl = daemonSettings
  .extend({
    agent_id: clientId().meta({ description: "The same as in the path." }),
    action: choice(daemonActions).default("status").meta({ description: "`status` changes nothing." }),
    payload: jsonObject().nullish().meta({ description: "For message: the input of the daemon's `on_message`." }),
  })
  .meta({ id: "DaemonControl", example: { agent_id: "hello-agent", action: "start" } });

/** The answer to every action on a daemon. */
export const daemonControlled = z
  .object({
    agent_id: z.string(),
    action: z.enum(daemonActions),
    changed: z.boolean().meta({ description: "False: the daemon had the desired state already." }),
    daemon: daemonRecord,
    run_id: z.string().nullable().meta({ description: "For message: the id of the message's run." }),
  })
  .meta({
    id: "DaemonControlled",
    example: { agent_id: "hello-agent", action: "start", changed: true, daemon: exampleOf(daemonRecord), run_id: null },
  });
export type DaemonControlled = z.infer<typeof daemonControlled>;

export const daemonLogLine = z
  .object({
    id: z.string(),
    level: z.string(),
    stream: z.enum(["stdout", "stderr", "agent", "daemon"]).meta({
      description: "`daemon`: a line of the daemon's supervisor.",
    }),
    message: z.string(),
    ts: z.string(),
  })
  .meta({
    id: "DaemonLogLine",
    example: {
      id: "1-42",
      level: "info",
      stream: "stderr",
      message: "waiting for messages",
      ts: "2026-11-21T10:00:00.000Z",
    },
  });
export type DaemonLogLine = z.infer<typeof daemonLogLine>;

/** A message of a daemon's stream: the event's name, its id, and the JSON of its data. */
export const daemonEvent = z
  .discriminatedUnion("event", [
    z.object({ event: z.literal("daemon.status"), data: daemonRecord }).meta({ id: "DaemonStatusEvent" }),
    z.object({ event: z.literal("log"), id: z.string(), data: daemonLogLine }).meta({ id: "DaemonLogEvent" }),
  ])
  .meta({ id: "DaemonEvent", description: "A message of a daemon's stream. Ignore events that you don't know." });
export type DaemonEvent = z.infer<typeof daemonEvent>;
