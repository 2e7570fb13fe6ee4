import { z } from "zod";
import { egressPattern } from "../domain/egress/egress-rule.ts";
import type { KnownKeys } from "../domain/agent/unknown-keys.ts";
import { runLimits } from "../domain/run/limits.ts";
import { requirementLimits } from "../domain/agent/requirement.ts";
import { adapterTypes } from "../domain/run/run-modes.ts";
import type { Field } from "./field.ts";
import { type JsonObject, jsonObject } from "./primitives.ts";

const MiB = 1024 * 1024;
const atLeast = (min: number, max: number) => z.number().int().min(min).max(max).optional();

/** The names of environment variables, and so of secrets. */
export const envNamePattern = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
/** Names that would change how the interpreter or the service runs a program. */
export const reservedEnv =
  /^(LD_.*|DYLD_.*|PYTHON.*|PATH|HOME|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|NODE_OPTIONS|NODE_PATH|GCONV_PATH|RUNFLEET_.*)$/;
const envName = z
  .string()
  .regex(envNamePattern)
  .refine((name) => !reservedEnv.test(name), "this name is reserved");

/** NUL and half of a surrogate pair, which can't be passed to a program. */
export const noText = /\0|\p{Surrogate}/u;
const plainText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !noText.test(text), "must be well-formed text without NUL");

/** Names to texts. They are checked when a config is written, and read as they are afterwards. */
const texts = z.record(z.string(), z.string());

const multitaskStrategies = ["enqueue", "reject", "interrupt"] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

/**
 * The keys of an agent's free-form config that the service reads. All other keys are the author's own. A key of the wrong type is
 * a 422 when the version is published, so that the mistake shows before the first run.
 */
export const agentConfig = z.looseObject({
  /** `file.py` or `file.py:name`. */
  entrypoint: plainText(512).min(1).optional(),
  /** The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts. */
  source: z.string().optional(),
  /** Relative path → text or data URL. */
  files: texts.optional(),
  /** Python packages, like `httpx>=0.27`; wheels only. */
  requirements: z.array(z.string().min(1).max(requirementLimits.length)).max(requirementLimits.count).optional(),
  /** For the adapter `command`: a program and its arguments. */
  command: z.array(plainText(4096)).min(1).max(256).optional(),
  /** How the command's stdout is read: as text (default), or each line as an event. */
  output: z.enum(["text", "ndjson"]).optional(),
  /** For the adapter `http`: the URL of the agent. */
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  /** For the adapter `container`. */
  image: z.string().min(1).max(512).optional(),
  /** The adapter of runs that name none. */
  adapter_type: z.enum(adapterTypes).optional(),
  env: texts.optional(),
  limits: z
    .looseObject({
      timeout_ms: atLeast(1, runLimits.max_timeout_ms),
      /** A run that no worker claims within this time expires. */
      queue_ttl_ms: atLeast(1_000, 30 * 24 * 3_600_000),
      memory_mb: atLeast(16, runLimits.full_memory_bytes / MiB),
      cpu_ms: atLeast(1, runLimits.max_timeout_ms * 64),
      pids: atLeast(1, 1024),
      output_bytes: atLeast(1, runLimits.output_bytes),
      files_bytes: atLeast(1, 1024 * MiB),
      events: atLeast(1, runLimits.events),
    })
    .optional(),
  /** The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed for others than 80 and 443. */
  network: z
    .union([z.literal("none"), z.object({ allow: z.array(z.string().regex(egressPattern)).max(100) })], {
      error: "must be `none`, or `allow` with at most 100 of: a host, `*.domain` or `*`, each with or without a port",
    })
    .optional(),
  /** The largest number of attempts of a run that loses its workers. */
  max_attempts: atLeast(1, 100),
  /**
   * Retries of a run whose agent failed: at most `max_attempts` times in total. The delay grows by `factor` each time; by default
   * 1 s, 2 s, 4 s … 60 s.
   */
  retry: z
    .looseObject({
      max_attempts: z.number().int().min(2).max(100),
      delay_ms: atLeast(0, 24 * 3_600_000),
      factor: z.number().min(1).max(100).optional(),
      max_delay_ms: atLeast(0, 24 * 3_600_000),
    })
    .optional(),
  /** A run that reports more usage than this is ended. US dollars; input and output tokens together. */
  budget: z
    .looseObject({ usd: z.number().positive().optional(), tokens: z.number().int().positive().optional() })
    .optional(),
  /** The largest number of the agent's runs that run at the same time. The others wait. */
  concurrency: atLeast(1, 1_000),
  /**
   * One process executes the version's runs one after another, so that modules, connections and threads stay. For Python and
   * Node. A run that is `isolated` or brings files of its own has a process of its own all the same.
   */
  reuse: z.boolean().optional(),
  /** The largest number of the agent's runs with the same `concurrency_key` that run at the same time. */
  key_concurrency: atLeast(1, 1_000),
  /** How long the process of an `interactive` thread waits for the next run. 5 minutes by default. */
  idle_timeout_ms: atLeast(1_000, 3_600_000),
  /** A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the runs before it are cancelled. */
  multitask_strategy: z.enum(multitaskStrategies).optional(),
  /** JSON Schemas of the input (a mismatch is a 422) and of the result (a mismatch ends the run as an error). */
  input_schema: z.record(z.string(), z.unknown()).optional(),
  output_schema: z.record(z.string(), z.unknown()).optional(),
  /** Names of the agent's secrets that its runs get as environment variables. */
  secrets: z.array(envName).max(100).optional(),
});
export type AgentConfig = z.infer<typeof agentConfig>;

/** The keys of a config that the service reads, with those of its objects. */
export const configKeys: KnownKeys = keysOf(agentConfig);

function keysOf({ shape }: z.ZodObject): KnownKeys {
  const below = (schema: z.core.$ZodType): KnownKeys | null => {
    const inner = schema instanceof z.ZodOptional ? schema.def.innerType : schema;
    return inner instanceof z.ZodObject ? keysOf(inner) : null;
  };
  return Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, below(schema)]));
}

/** A config in a request: an object, whose known keys `checkAgentConfig` checks. OpenAPI shows them. */
export const configObject = (): Field<JsonObject> => jsonObject().meta(z.toJSONSchema(agentConfig, { io: "input" }));

/** Reads a stored config. A key with a wrong type, stored before the service read that key, is left out. */
export function readConfig(given: unknown): AgentConfig {
  const stored = typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
  const parsed = agentConfig.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unread = new Set(parsed.error.issues.map(({ path }) => path[0]));
  return agentConfig.parse(Object.fromEntries(Object.entries(stored).filter(([key]) => !unread.has(key))));
}
