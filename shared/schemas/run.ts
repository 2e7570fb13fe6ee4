import { z } from "zod";
import { exampleOf } from "./example-of.ts";
import { labelledMetadata } from "./labels.ts";
import { givenOptions } from "./request-options.ts";
import { runStatuses } from "../domain/run/run-status.ts";
import { toldInterrupt, runError, sandboxReport, usage, waitReason } from "./run-event.ts";

const time = z.string().nullable();

export const runCallback = z
  .object({
    url_host: z.string(),
    status: z.enum(["waiting", "pending", "delivered", "exhausted"]),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    next_attempt_at: time,
  })
  .meta({
    id: "RunCallback",
    example: { url_host: "example.com", status: "delivered", attempts: 1, last_error: null, next_attempt_at: null },
  });

export const runOrigins = ["api", "job", "daemon", "replay", "run"] as const;

/** A run as every operation shows it. Of sealed values only the names are shown. */
export const runRecord = z
  .object({
    id: z.string(),
    run_id: z.string(),
    object: z.literal("run"),
    agent_id: z.string(),
    version: z.string(),
    thread_id: z.string().nullable(),
    user_id: z.string(),
    status: z.enum(runStatuses),
    attempt: z.number().int(),
    max_attempts: z.number().int(),
    adapter_type: z.string(),
    runtime_mode: z.string(),
    lifecycle: z.string(),
    input_payload: z.unknown(),
    env_names: z.array(z.string()),
    files: z.array(z.object({ name: z.string(), size: z.number().int(), sha256: z.string() })),
    result_content: z.unknown(),
    error: runError.nullable(),
    current_status: z.string().nullable(),
    state_snapshot: z.string().nullable(),
    usage: usage.nullable(),
    sandbox: sandboxReport.nullable(),
    worker_id: z.string().nullable(),
    origin: z.enum(runOrigins),
    replay_of: z.string().nullable(),
    job_id: z.string().nullable(),
    parent_run_id: z.string().nullable().meta({ description: "The run that has started it; null: none." }),
    root_run_id: z
      .string()
      .nullable()
      .meta({ description: "The run at the root of its tree; null: it is none's child." }),
    detached: z.boolean().meta({ description: "Whether it goes on when the run that has started it ends." }),
    tags: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
    timeout_ms: z.number().int(),
    request_options: givenOptions
      .nullable()
      .meta({ description: "What the run's request asked beside its input; null: nothing." }),
    wait_reason: waitReason.nullable().meta({ description: "Why the run waits, if the service knows." }),
    created_at: z.string(),
    scheduled_at: time.meta({ description: "When a `scheduled` run is queued for its first or its next attempt." }),
    started_at: time,
    completed_at: time,
    queue_ms: z.number().int().nullable(),
    duration_ms: z.number().int().nullable(),
    interrupts: z.array(toldInterrupt).meta({ description: "What an interrupted run waits for; else empty." }),
    callback: runCallback.nullable(),
  })
  .meta({
    id: "Run",
    example: {
      id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      object: "run",
      agent_id: "hello-agent",
      version: "1.0.0",
      thread_id: null,
      user_id: "ada",
      status: "success",
      attempt: 1,
      max_attempts: 3,
      adapter_type: "python",
      runtime_mode: "standard",
      lifecycle: "serverless",
      input_payload: { name: "Ada" },
      env_names: ["GREETING"],
      files: [],
      result_content: { greeted: true },
      error: null,
      current_status: null,
      state_snapshot: null,
      usage: { cpu_ms: 38, max_rss_bytes: 14_680_064 },
      sandbox: exampleOf(sandboxReport),
      worker_id: "worker_019aa5e0a1b27c3e8f4b2a6d9e0f1a2b",
      origin: "api",
      replay_of: null,
      job_id: null,
      parent_run_id: null,
      root_run_id: null,
      detached: false,
      tags: [],
      metadata: {},
      timeout_ms: 600_000,
      request_options: null,
      wait_reason: null,
      created_at: "2026-11-21T10:00:00.000Z",
      scheduled_at: null,
      started_at: "2026-11-21T10:00:00.006Z",
      completed_at: "2026-11-21T10:00:01.200Z",
      queue_ms: 6,
      duration_ms: 1194,
      interrupts: [],
      callback: exampleOf(runCallback),
    },
  });
export type RunRecord = z.infer<typeof runRecord>;

/** The fields of a run that an item of a list has only if they are asked for. */
export const runPayloads = ["input_payload", "result_content", "state_snapshot"] as const;
export type RunPayload = (typeof runPayloads)[number];

const { input_payload: _input, result_content: _result, state_snapshot: _state, ...listed } = exampleOf(runRecord);

const preview = (what: string) =>
  z
    .string()
    .nullable()
    .meta({
      description: `The first 200 characters of the ${what} as JSON. Null: there is none, or it is very large.`,
    });

/** A run in a list. */
export const runListItem = runRecord
  .partial({ input_payload: true, result_content: true, state_snapshot: true })
  .extend({
    input_preview: preview("input"),
    result_preview: preview("result"),
  })
  .meta({
    id: "RunListItem",
    example: { ...listed, input_preview: '{"name":"Ada"}', result_preview: '{"greeted":true}' },
  });
export type RunListItem = z.infer<typeof runListItem>;

/** How many of the runs of a list have each status. */
export const runCounts = z
  .object({
    data: z.array(
      z.object({
        status: z.enum(runStatuses),
        count: z.number().int(),
        more: z.boolean().meta({ description: "True: there are more than are counted." }),
      }),
    ),
  })
  .meta({
    id: "RunCounts",
    example: {
      data: [
        { status: "running", count: 12, more: false },
        { status: "success", count: 10_000, more: true },
      ],
    },
  });
export type RunCounts = z.infer<typeof runCounts>;

export const runPatch = z
  .object({ metadata: labelledMetadata().nullish() })
  .meta({ id: "RunPatch", example: { metadata: { note: "looked at by Ada", pinned: true } } });

const notEnded = { result_content: null, usage: null, completed_at: null, duration_ms: null } as const;

/** The run of the example before its end. */
export const runningExample: RunRecord = {
  ...exampleOf(runRecord),
  ...notEnded,
  status: "running",
  current_status: "reading page 2 of 5",
  callback: { ...exampleOf(runCallback), status: "waiting", attempts: 0 },
};
export const queuedExample: RunRecord = {
  ...runningExample,
  status: "queued",
  attempt: 0,
  current_status: null,
  sandbox: null,
  worker_id: null,
  started_at: null,
  queue_ms: null,
};

/** The answer of POST /v1/runs/{run_id}/complete. */
export const completedRun = runRecord
  .extend({ completed: z.boolean(), already_completed: z.boolean() })
  .meta({ id: "CompletedRun", example: { ...exampleOf(runRecord), completed: true, already_completed: false } });
