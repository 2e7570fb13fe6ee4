import { createHash } from "node:crypto";
import { chooseAdapter } from "../../domain/run/choose-adapter.ts";
import { chooseRuntimeMode } from "../../domain/run/choose-runtime-mode.ts";
import type { KeyRing } from "../../platform/config/load-config.ts";
import { defaultMaxAttempts, queueTtlMs, runLimits } from "../../domain/run/run-limits.ts";
import { narrowConfig } from "../../domain/run/narrow-config.ts";
import { defaultPool } from "../../domain/run/pool.ts";
import { placeEvent } from "../../domain/run/stream-event.ts";
import { type AgentConfig, readConfig } from "../../schemas/agent-config.ts";
import type { ExecuteRequest } from "../../schemas/execute-request.ts";
import { type GivenOptions, optionsOf } from "../../schemas/request-options.ts";
import { seal } from "../../platform/secrets/seal.ts";
import { sealedFields } from "../../platform/secrets/sealed-fields.ts";
import type { NewRun } from "../../store/runs/queue/insert-run.ts";
import type { PlanRunLimits } from "../../store/runs/queue/plan-limits.ts";
import { executeHash } from "./request-hash.ts";

type Material = {
  request: ExecuteRequest;
  /** `cached`: the version may be outdated, so the run is inserted only while its agent has the same revision. */
  version: {
    user_id: string;
    version: string;
    config: Record<string, unknown>;
    revision: string;
    cached?: boolean;
  };
  run_id: string;
  traceparent: string | null;
  origin: NewRun["origin"];
  /** Who starts it, such as a key's id. Null: the service itself. */
  by: string | null;
  /** The id of the run whose request is run again. */
  replay_of: string | null;
  /** Left out: what the agent's config says. */
  multitask?: NewRun["multitask"] | undefined;
  /** The position in the queue, if it is known. The next run to start has position 1. */
  position?: number | null;
  /** How many runs the owner's plan allows at once. */
  bounds: PlanRunLimits;
  /** The id of the bulk operation that makes the run. */
  bulk_id?: string | undefined;
  /** The id of the schedule (`/v1/jobs`) that made the run. */
  job_id?: string;
  /** What the service adds to the request's own. */
  metadata?: Record<string, unknown> | undefined;
};

/** Returns the row of a run that is accepted now. Its env_vars and files are sealed here; nothing stores them unsealed. */
export function newRun(keys: KeyRing, material: Material): NewRun {
  const { request, version, run_id, traceparent, origin, by, replay_of } = material;
  const { agent_id, env_vars, files } = request;
  // An interactive run without a thread begins a thread with the run's id, so that its client can continue it.
  const thread_id = request.thread_id ?? (request.lifecycle === "interactive" ? run_id : null);
  const sealed = (map: Record<string, string>, field: string): Buffer | null =>
    Object.keys(map).length > 0 ? seal(keys, JSON.stringify(map), field) : null;
  const { at, ...start } = startOf(request, new Date());
  const queued = { agent_id, version: version.version, thread_id, ...queuedAs(at, material.position ?? null) };
  const request_options = optionsOf(request);
  return {
    id: run_id,
    user_id: version.user_id,
    agent_id,
    version: version.version,
    agent_revision: version.cached ? version.revision : null,
    thread_id,
    adapter_type: chooseAdapter(request, version),
    runtime_mode: chooseRuntimeMode(request, version),
    lifecycle: request.lifecycle,
    ...rulesOf(narrowConfig(readConfig(version.config), request_options), request_options),
    request_options,
    ...start,
    debounce_key: request.debounce?.key ?? null,
    ...(material.multitask && { multitask: material.multitask }),
    input_payload: request.input_payload,
    history: request.history,
    state_snapshot: request.state_snapshot === "" ? null : request.state_snapshot,
    env_names: Object.keys(env_vars),
    files: Object.entries(files).map(([name, content]) => describeFile(name, content)),
    sealed_env: sealed(env_vars, sealedFields.runEnv(run_id)),
    sealed_files: sealed(files, sealedFields.runFiles(run_id)),
    request_hash: executeHash(request),
    completion_callback_url: request.completion_callback_url ?? null,
    traceparent,
    origin,
    by,
    replay_of,
    bulk_id: material.bulk_id,
    job_id: material.job_id ?? null,
    metadata: { ...request.metadata, ...material.metadata },
    tags: [...new Set(request.tags)],
    queued_event: placeEvent(run_id, { attempt: 0, seq: 1 }, { type: "run.queued", ...queued }, new Date()),
    bounds: material.bounds,
  };
}

/** When a request's run joins the queue. `at` is only to be shown: a delay is counted by Postgres' clock. All null: at once. */
type Start = { at: Date | null; run_at: Date | null; delay_ms: number | null };

function startOf({ run_at, delay_ms, debounce }: ExecuteRequest, now: Date): Start {
  const delay = debounce?.delay_ms ?? delay_ms ?? 0;
  // A debounced run is scheduled even for now: until it is released, a later request finds it by its key.
  if (debounce || delay > 0) return { at: new Date(now.getTime() + delay), run_at: null, delay_ms: delay };
  return run_at && run_at > now ? { at: run_at, run_at, delay_ms: null } : { at: null, run_at: null, delay_ms: null };
}

/** Returns what the run's first event says of its place: in the queue, or until when it waits for it. */
function queuedAs(at: Date | null, position: number | null) {
  if (at === null) return { status: "queued", queue: { position, wait_reason: null } } as const;
  const run_at = at.toISOString();
  return { status: "scheduled", queue: { position: null, wait_reason: "delay" }, run_at } as const;
}

type Rules = Pick<
  NewRun,
  "pool" | "multitask" | "timeout_ms" | "concurrency" | "key_concurrency" | "max_attempts" | "queue_ttl_ms"
>;

/** Returns the settings of a run: those of its agent's config, narrowed by its request. */
function rulesOf(config: AgentConfig, asked: GivenOptions | null): Rules {
  const { pool, multitask_strategy, limits, concurrency, key_concurrency, max_attempts } = config;
  return {
    pool: pool ?? defaultPool,
    multitask: multitask_strategy ?? "enqueue",
    timeout_ms: limits?.timeout_ms ?? runLimits.timeout_ms,
    concurrency: concurrency ?? null,
    key_concurrency: asked?.concurrency_key === undefined ? null : (key_concurrency ?? 1),
    max_attempts: max_attempts ?? defaultMaxAttempts,
    queue_ttl_ms: limits?.queue_ttl_ms ?? queueTtlMs,
  };
}

function describeFile(name: string, content: string): { name: string; size: number; sha256: string } {
  return { name, size: Buffer.byteLength(content), sha256: createHash("sha256").update(content).digest("hex") };
}
