import { z } from "zod";
import { callCount } from "./run-call.ts";
import { runStatuses, terminalStatuses } from "../domain/run/run-status.ts";

/** Why a run failed. `code` is the service's and stable. `type` is the class of the agent's exception, if there was one. */
export const runError = z.object({
  code: z.string(),
  type: z.string().nullable(),
  message: z.string(),
  traceback: z.string().nullable(),
});
export type RunError = z.infer<typeof runError>;

const tokenUsage = {
  input_tokens: z.number().optional(),
  output_tokens: z.number().optional(),
  cost_usd: z.number().optional(),
};
const tokens = z.object(tokenUsage);
export type TokenUsage = z.infer<typeof tokens>;

export const usage = z.object({
  ...tokenUsage,
  cpu_ms: z.number().optional(),
  max_rss_bytes: z.number().optional(),
  tool_calls: z.number().int().optional().meta({ description: "How many `tool.start` events the agent sent." }),
  metered: tokens.optional().meta({
    description: "What services counted of calls to connections. Then the tokens and the cost above are these.",
  }),
  reported: tokens.optional().meta({ description: "With `metered`: what the agent said." }),
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
  "building",
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

/** A question as those see it who may answer it. */
export const toldInterrupt = openInterrupt.extend({
  answer_url: z.string().optional().meta({
    description:
      "The page on which a person answers, for whoever has this address. Without PUBLIC_URL it is the path on this service. Only those are told it who may resume the run.",
  }),
});
export type ToldInterrupt = z.infer<typeof toldInterrupt>;

const eventId = z.object({ attempt: z.number().int(), seq: z.number().int() });

const voids = z
  .array(z.tuple([z.string(), z.string()]))
  .meta({ description: "Ranges of event ids, both ends included." });
const step = {
  key: z.string().meta({ description: "The same on every attempt." }),
  name: z.string(),
  try: z.number().int(),
};

const wait = {
  kind: z.enum(["timer", "signal"]),
  name: z.string(),
  until: z.string().nullable().meta({ description: "When the wait ends by itself." }),
};

/** What a suspended run waits for. */
const openWait = {
  ...wait,
  kind: z.enum(["timer", "signal", "child"]),
  children: z.number().int().optional().meta({ description: "How many runs that it has started it waits for." }),
};

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
  discards: z
    .object({ attempt: z.number().int(), reason: z.string() })
    .optional()
    .meta({ description: "The attempt whose output is void." }),
  keeps: z.string().optional().meta({
    description: "Instead of `discards`: the id up to which the attempt before stands. Its later events are void.",
  }),
  voids: voids.optional().meta({ description: "With `keeps`: ids of this and earlier attempts that are void." }),
  reason: z.string().optional().meta({ description: "With `keeps`: why the run started again." }),
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
    event("usage", {
      ...usage.omit({ tool_calls: true, metered: true, reported: true }).shape,
      source: z.enum(["reported", "metered"]).optional().meta({
        description: "Who says so: `reported` by the agent, or `metered` by the gateway, of all calls so far.",
      }),
    }),
    event("call.start", {
      call: z.number().int().meta({ description: "The number of the call in its attempt." }),
      connection: z.string(),
      method: z.string(),
      host: z.string(),
      path: z.string(),
      model: z.string().nullable(),
    }),
    event("call.missed", {
      call: z.number().int(),
      path: z.string(),
      at: z.string().nullable().meta({ description: "Where in the request it differs: a JSON path." }),
      was: z.string().nullable(),
      is: z.string().nullable(),
      hint: z.string().nullable(),
    }),
    event("call.end", {
      call: z.number().int(),
      connection: z.string(),
      status: z.number().int().nullable(),
      model: z.string().nullable(),
      counted: callCount.nullable(),
      input_tokens: z.number(),
      cached_tokens: z.number(),
      output_tokens: z.number(),
      cost_usd: z.number().nullable().meta({ description: "Null: the model's price isn't known." }),
      request_bytes: z.number(),
      response_bytes: z.number(),
      duration_ms: z.number().int(),
      recorded: z.boolean(),
    }),
    event("custom", { name: z.string(), value: z.unknown() }),
    event("step.start", step),
    event("step.retrying", { ...step, error: z.string().nullable(), retry_at: z.string(), voids }),
    event("step.copied", step),
    event("replay.diverged", {
      key: step.key,
      name: step.name,
      before: z.string().meta({ description: "What the run that is run again did here." }),
      dropped: z.number().int().meta({ description: "How many of its steps are done anew, or not at all." }),
    }),
    event("step.end", { ...step, ok: z.boolean(), error: z.string().nullable(), duration_ms: z.number().nullable() }),
    event("wait.opened", { key: step.key, ...wait }),
    event("wait.ended", {
      key: step.key,
      name: z.string(),
      by: z.enum(["timer", "signal", "timeout"]),
      signal: z.string().nullable().meta({ description: "The name of the signal that ended it." }),
    }),
    event("message.accepted", {
      message_id: z.string(),
      sent_id: z.string().meta({ description: "The sender's id, or `message_id`." }),
    }),
    event("message.taken", { key: step.key, message_ids: z.array(z.string()) }),
    event("child.started", {
      key: step.key,
      name: z.string(),
      child_run_id: z.string(),
      agent_id: z.string(),
      detached: z.boolean().meta({ description: "It goes on when this run ends, and this run doesn't wait for it." }),
    }),
    event("child.ended", {
      key: step.key,
      name: z.string(),
      child_run_id: z.string().nullable().meta({ description: "Null: it was not started." }),
      status: z
        .string()
        .meta({ description: "As the run ended, `refused` for one that was not started, or `deleted`." }),
      code: z.string().nullable().meta({ description: "Of the run's error, or why it was not started." }),
    }),
    event("run.suspended", {
      waits: z
        .array(z.object(openWait))
        .meta({ description: "What the run waits for, without a process. At most 100." }),
    }),
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
