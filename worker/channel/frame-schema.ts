import { z } from "zod";
import { usage } from "../../shared/schemas/run-event.ts";

/** The frames that an agent may send: one JSON object per line of its event channel. */
export const agentFrame = z.discriminatedUnion("type", [
  z.object({ type: z.literal("output"), content: z.unknown() }),
  z.object({
    type: z.literal("log"),
    level: z.string().default("info"),
    stream: z.enum(["stderr", "agent"]).default("agent"),
    message: z.string(),
  }),
  z.object({
    type: z.literal("progress"),
    value: z.number().min(0).max(1).nullable(),
    message: z.string().nullable().default(null),
  }),
  z.object({ type: z.literal("tool.start"), call_id: z.string(), name: z.string(), args: z.unknown() }),
  z.object({
    type: z.literal("tool.end"),
    call_id: z.string(),
    result: z.unknown(),
    error: z.string().nullable().default(null),
    duration_ms: z.number().nullable().default(null),
  }),
  z.object({ type: z.literal("state"), state_snapshot: z.string() }),
  /** The worker measures CPU time and memory itself. */
  usage.omit({ cpu_ms: true, max_rss_bytes: true }).extend({ type: z.literal("usage") }),
  z.object({
    type: z.literal("artifact"),
    name: z.string().min(1).max(512),
    mime: z.string().max(256).nullable().default(null),
    /** Base64. */
    content: z.string(),
  }),
  z.object({ type: z.literal("custom"), name: z.string(), value: z.unknown() }),
  z.object({
    type: z.literal("interrupt"),
    reason: z.string().max(256).default("input_required"),
    message: z.string().nullable().default(null),
    response_schema: z.record(z.string(), z.unknown()).nullable().default(null),
    expires_in_ms: z.number().int().positive().nullable().default(null),
  }),
  z.object({ type: z.literal("result"), result_content: z.unknown() }),
  z.object({
    type: z.literal("error"),
    code: z
      .enum(["agent_error", "no_entrypoint", "bad_entrypoint", "dependency_install_failed"])
      .default("agent_error"),
    error_type: z.string(),
    message: z.string(),
    traceback: z.string().nullable(),
  }),
]);
export type AgentFrame = z.infer<typeof agentFrame>;

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
export type Started = { type: "started"; warm: boolean; reused?: boolean };

/** An adapter yields `started` first, then the agent's frames, and exactly one `exit` last. */
export type Frame = Started | AgentFrame | ExitFrame;
