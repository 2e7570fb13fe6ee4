import { z } from "zod";
import { runStatuses, terminalStatuses } from "../domain/run/run-status.ts";

/** Why a run failed. `code` is the service's and stable. `type` is the class of the agent's exception, if there was one. */
export const runError = z.object({
  code: z.string(),
  type: z.string().nullable(),
  message: z.string(),
  traceback: z.string().nullable(),
});
export type RunError = z.infer<typeof runError>;

export const usage = z.object({
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
  cpu_ms: z.number().optional(),
  max_rss_bytes: z.number().optional(),
});
export type Usage = z.infer<typeof usage>;

export const sandboxReport = z.object({ level: z.number().int(), name: z.string(), layers: z.array(z.string()) }).meta({
  example: {
    level: 2,
    name: "ns",
    layers: ["uid", "user-ns", "pid-ns", "net-ns", "mount-ns", "ipc-ns", "seccomp", "rlimits"],
  },
});
export type SandboxReport = z.infer<typeof sandboxReport>;

/** `run.queued` → `RunQueuedEvent`. */
const componentName = (type: string): string =>
  `${type.replaceAll(/(?:^|[._])(\w)/g, (_, first: string) => first.toUpperCase())}Event`;

const envelope = { run_id: z.string(), attempt: z.number().int(), seq: z.number().int(), ts: z.string() };
const event = <T extends string, S extends z.ZodRawShape>(type: T, shape: S) =>
  z.object({ type: z.literal(type), ...envelope, ...shape }).meta({ id: componentName(type) });

export const waitReason = z.enum([
  "no_worker",
  "concurrency_limit",
  "concurrency_key",
  "thread_busy",
  "paused",
  "retry",
  "delay",
]);
const queue = z.object({ position: z.number().int().nullable(), wait_reason: waitReason.nullable() });

const terminalShape = {
  status: z.enum(terminalStatuses),
  result_content: z.unknown(),
  error: runError.nullable(),
  partial: z.unknown(),
  state_snapshot: z.string().nullable(),
  usage: usage.nullable(),
  duration_ms: z.number().int(),
};

/** A question of an agent that waits for an answer. */
export const openInterrupt = z.object({
  id: z.string(),
  reason: z.string(),
  message: z.string().nullable(),
  response_schema: z.record(z.string(), z.unknown()).nullable(),
  expires_at: z.string(),
});
export type OpenInterrupt = z.infer<typeof openInterrupt>;

const eventId = z.object({ attempt: z.number().int(), seq: z.number().int() });

const queued = event("run.queued", {
  status: z.enum(runStatuses),
  agent_id: z.string(),
  version: z.string(),
  thread_id: z.string().nullable(),
  queue,
  run_at: z.string().optional().meta({ description: "When a `scheduled` run is to be queued." }),
});
const started = event("run.started", {
  worker_id: z.string(),
  adapter_type: z.string(),
  runtime_mode: z.string(),
  lifecycle: z.string(),
  sandbox: sandboxReport,
  warm: z.boolean().meta({ description: "The agent's code was loaded before the run." }),
  reused: z
    .boolean()
    .optional()
    .meta({ description: "The process has executed earlier runs of this version (`reuse`)." }),
  follows: z.string().optional().meta({ description: "The id of the previous event, if the worker knows it." }),
  discards: z.object({ attempt: z.number().int(), reason: z.string() }).optional(),
});

/** All events of a run's stream, by `type`. Clients must ignore unknown types. */
export const runEvent = z
  .discriminatedUnion("type", [
    queued,
    event("run.waiting", {
      queue,
      error: runError
        .optional()
        .meta({ description: "The error of the failed attempt, when the run waits for its retry." }),
      retry_at: z.string().optional(),
      run_at: z.string().optional().meta({ description: "The new time of a delayed run whose request was replaced." }),
    }),
    started,
    event("output.delta", { content: z.unknown() }),
    event("log", { level: z.string(), stream: z.enum(["stderr", "agent"]), message: z.string() }),
    event("progress", { value: z.number().min(0).max(1).nullable(), message: z.string().nullable() }),
    event("tool.start", { call_id: z.string(), name: z.string(), args: z.unknown() }),
    event("tool.end", {
      call_id: z.string(),
      result: z.unknown(),
      error: z.string().nullable(),
      duration_ms: z.number().nullable(),
    }),
    event("artifact", {
      name: z.string(),
      mime: z.string(),
      size: z.number().int(),
      sha256: z.string(),
      url: z.string(),
    }),
    event("state", { state_snapshot: z.string() }),
    event("usage", usage.shape),
    event("custom", { name: z.string(), value: z.unknown() }),
    event("run.interrupted", { interrupts: z.array(openInterrupt), state_snapshot: z.string().nullable() }),
    event("gap", { from: eventId, to: eventId, reason: z.string() }),
    event("run.success", terminalShape),
    event("run.error", terminalShape),
    event("run.timeout", terminalShape),
    event("run.cancelled", terminalShape),
    event("run.expired", terminalShape),
  ])
  .meta({
    id: "RunEvent",
    description: "An event of a run's stream: the JSON of a message's `data`. Ignore types that you don't know.",
  });
export type RunEvent = z.infer<typeof runEvent>;

type BodyOf<E> = E extends RunEvent ? Omit<E, keyof typeof envelope> : never;
/** An event without its run, id and time. */
export type RunEventBody = BodyOf<RunEvent>;

/** An event as it is stored and sent. `data` is its JSON text, which is not parsed again on the way to the client. */
export type StreamEvent = { attempt: number; seq: number; type: string; data: string };
