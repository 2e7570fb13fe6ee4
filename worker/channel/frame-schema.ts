import { z } from "zod";
import { segment } from "./call-fields.ts";
import { reportedUsage, type StepFrame, stepFrames } from "./step-frame.ts";

/** The output segment that a frame belongs to, of an agent that uses steps: see worker/journal/settle-output.ts. */
const said = { segment: segment.optional() };

/** The levels of log events. Others' names for them are read, too; an unknown one is `info`. */
const levels: Readonly<Record<string, string>> = {
  ...{ trace: "debug", debug: "debug", info: "info", notice: "info", warn: "warn", warning: "warn" },
  ...{ error: "error", critical: "error", fatal: "error" },
};
const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
const isBase64 = (text: string): boolean => text.length % 4 === 0 && base64.test(text);

/** Text that becomes a column by itself. Postgres takes no zeros there. */
const storable = z.string().transform((text) => text.replaceAll("\0", "\ufffd"));
/** Nobody waits longer for an answer, and no later date can be written. */
const mostWaitMs = 10 * 365 * 24 * 3_600_000;

/** The service's codes that an agent's process may name. */
export const agentErrorCodes = [
  ...(["agent_error", "no_entrypoint", "bad_entrypoint"] as const),
  ...(["dependency_install_failed", "nondeterminism"] as const),
] as const;

/** The frames that an agent may send: one JSON object per line of its event channel. */
export const agentFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("output"), content: z.unknown(), ...said }),
  z.object({
    type: z.literal("log"),
    level: z
      .string()
      .default("info")
      .transform((level) => levels[level.toLowerCase()] ?? "info"),
    stream: z.enum(["stderr", "agent"]).default("agent"),
    message: z.string(),
    ...said,
  }),
  z.object({
    type: z.literal("progress"),
    value: z.number().min(0).max(1).nullable().default(null),
    message: storable.nullable().default(null),
    ...said,
  }),
  z.object({ type: z.literal("tool.start"), call_id: z.string(), name: z.string(), args: z.unknown(), ...said }),
  z.object({
    type: z.literal("tool.end"),
    call_id: z.string(),
    result: z.unknown(),
    error: z.string().nullable().default(null),
    duration_ms: z.number().nullable().default(null),
    ...said,
  }),
  z.object({ type: z.literal("state"), state_snapshot: z.string() }),
  reportedUsage.extend({ type: z.literal("usage") }),
  z.object({
    type: z.literal("artifact"),
    name: z.string().min(1).max(512).pipe(storable),
    mime: z.string().max(256).pipe(storable).nullable().default(null),
    content: z.string().refine(isBase64, "must be base64; text goes into `text`"),
    ...said,
  }),
  z.object({ type: z.literal("custom"), name: z.string(), value: z.unknown(), ...said }),
  z.object({
    type: z.literal("interrupt"),
    /** By which a durable run knows the question on each attempt. */
    key: z.string().max(700).pipe(storable).optional(),
    reason: z.string().max(256).pipe(storable).default("input_required"),
    message: storable.nullable().default(null),
    response_schema: z.record(z.string(), z.unknown()).nullable().default(null),
    expires_in_ms: z
      .number()
      .int()
      .positive()
      .transform((ms) => Math.min(ms, mostWaitMs))
      .nullable()
      .default(null),
  }),
  z.object({ type: z.literal("result"), result_content: z.unknown() }),
  z.object({
    type: z.literal("error"),
    code: z.enum(agentErrorCodes).default("agent_error"),
    error_type: z.string().default("Error"),
    message: z.string(),
    traceback: z.string().nullable().default(null),
  }),
]);
export type AgentFrame = z.infer<typeof agentFrame>;

/** The frames of a process that executes one run. */
export const processFrame = z.discriminatedUnion("type", [...stepFrames, ...agentFrame.options]);

/** How the agent's process ended. `limit` is the limit that ended it, where that is known. */
export type ExitFrame = {
  type: "exit";
  code: number | null;
  signal: string | null;
  limit: "memory" | "cpu" | "processes" | "disk" | null;
  cpu_ms: number | null;
  max_rss_bytes: number | null;
  /** The rule of its channels that the sandbox broke and was ended for. */
  breach?: string;
};

/**
 * `warm`: the agent's code was loaded before the run. `reused`: by an earlier run, which the same process executed.
 */
type Started = { type: "started"; warm: boolean; reused?: boolean };

/** An adapter yields `started` first, then the agent's frames, and exactly one `exit` last. */
export type Frame = Started | AgentFrame | StepFrame | ExitFrame;
