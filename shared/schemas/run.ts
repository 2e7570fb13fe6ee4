import { z } from "zod";
import { runStatuses } from "../run/run-status.ts";
import { runError, sandboxReport, usage } from "./run-event.ts";

const time = z.string().nullable();

export const runCallback = z
  .object({
    url_host: z.string(),
    status: z.enum(["waiting", "pending", "delivered", "exhausted"]),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    next_attempt_at: time,
  })
  .meta({ id: "RunCallback" });

/** A run as every operation shows it. Values that were sealed are not in it, only their names. */
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
    origin: z.enum(["api", "job", "daemon", "replay"]),
    replay_of: z.string().nullable(),
    job_id: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    created_at: z.string(),
    started_at: time,
    completed_at: time,
    queue_ms: z.number().int().nullable(),
    duration_ms: z.number().int().nullable(),
    callback: runCallback.nullable(),
  })
  .meta({ id: "Run" });
export type RunRecord = z.infer<typeof runRecord>;
