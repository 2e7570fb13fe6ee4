import { z } from "zod";
import { connectionName } from "../domain/connection/presets.ts";
import { poolName, poolRule } from "../domain/run/pool.ts";
import { egressPattern } from "../domain/egress/egress-rule.ts";
import type { KnownKeys } from "../domain/agent/unknown-keys.ts";
import { runLimits } from "../domain/run/run-limits.ts";
import { requirementLimits } from "../domain/agent/requirement.ts";
import { adapterTypes, runtimeModes } from "../domain/run/run-modes.ts";
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

/** In US dollars, and in tokens of input and output together. */
const amounts = { usd: z.number().positive().optional(), tokens: z.number().int().positive().optional() };

/** A call of these is asked about before it leaves. Left out: any. */
export const approvalRule = z.strictObject(
  {
    method: z
      .string()
      .regex(/^[A-Za-z]{1,32}$/)
      .optional(),
    host: z.string().regex(egressPattern).optional(),
    path: plainText(500).regex(/^[/*]/).optional(),
  },
  { error: "must have nothing but `method`, `host` and `path`" },
);

/** Returns an entrypoint with its path as files are named: `./main.py:main` is `main.py:main`. */
function plainEntrypoint(entrypoint: string): string {
  const [path = "", ...name] = entrypoint.split(":");
  const parts = path.split("/").filter((part) => part !== "." && part !== "");
  return [parts.join("/"), ...name].join(":");
}

const answerPages = ["link", "key", "off"] as const;
const multitaskStrategies = ["enqueue", "reject", "interrupt"] as const;
export type MultitaskStrategy = (typeof multitaskStrategies)[number];

/**
 * The keys of an agent's free-form config that the service reads. All other keys are the author's own. A key of the wrong type is
 * a 422 when the version is published, so that the mistake shows before the first run.
 */
export const agentConfig = z.looseObject({
  entrypoint: plainText(512)
    .min(1)
    .overwrite(plainEntrypoint)
    .optional()
    .meta({ description: "What is called: `main.py`, `main.py:name` or `agent.core:main`; `src/index.ts:main`." }),
  source: z.string().optional().meta({
    description: "The text of a single file, stored under the entrypoint's file name, or as main.py or main.ts.",
  }),
  files: texts
    .optional()
    .meta({ description: "The code: relative path → text or data URL. The command line reads it from the folder." }),
  requirements: z.array(z.string().min(1).max(requirementLimits.length)).max(requirementLimits.count).optional().meta({
    description:
      "Python packages, like `httpx>=0.27`; wheels only. The command line reads them from requirements.txt or pyproject.toml.",
  }),
  command: z
    .array(plainText(4096))
    .min(1)
    .max(256)
    .optional()
    .meta({ description: "For the adapter `command`: a program and its arguments." }),
  output: z
    .enum(["text", "ndjson"])
    .optional()
    .meta({ description: "How the command's stdout is read: as text (default), or each line as an event." }),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional()
    .meta({ description: "For the adapter `http`: the URL of the agent." }),
  image: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .meta({ description: "For the adapter `container`: one of those that the operator lists." }),
  adapter_type: z.enum(adapterTypes).optional().meta({
    description:
      "What runs the agent: `python` (default), `node`, `command`, `http` or `container`. `custom`, `langchain`, `langgraph` and `crewai` mean `python`, `process` means `command`.",
  }),
  pool: z.string().regex(poolName, { error: poolRule }).optional().meta({
    description:
      "The pool of workers that takes its runs, such as `gpu`; `default` if left out. Runs of a pool without workers wait.",
  }),
  runtime_mode: z.enum(runtimeModes).optional().meta({
    description:
      "How the agent's runs are isolated: `standard` (default), `isolated`, or `full` for runs with a network. A request may narrow it, and name it where the config doesn't.",
  }),
  env: texts.optional().meta({ description: "Environment variables, kept in clear. Keys belong in `secrets`." }),
  limits: z
    .looseObject({
      timeout_ms: atLeast(1, runLimits.max_timeout_ms).meta({ description: "How long a run may take." }),
      queue_ttl_ms: atLeast(1_000, 30 * 24 * 3_600_000).meta({
        description: "A run that no worker claims within this time expires.",
      }),
      memory_mb: atLeast(16, runLimits.full_memory_bytes / MiB).meta({
        description: "The memory of a run and all of its processes.",
      }),
      cpu_ms: atLeast(1, runLimits.max_timeout_ms * runLimits.max_processors).meta({
        description: "The CPU time of a run and all of its processes.",
      }),
      pids: atLeast(1, runLimits.max_processes).meta({ description: "How many processes and threads a run may have." }),
      output_bytes: atLeast(1, runLimits.output_bytes).meta({ description: "How much a run may say." }),
      files_bytes: atLeast(1, runLimits.max_disk_bytes).meta({
        description: "How much a run may write to its folders.",
      }),
      events: atLeast(1, runLimits.events).meta({ description: "How many events a run may send." }),
    })
    .optional()
    .meta({ description: "A run that exceeds a limit ends with that limit's error, and keeps what it said." }),
  network: z
    .union([z.literal("none"), z.object({ allow: z.array(z.string().regex(egressPattern)).max(100) })], {
      error: "must be `none`, or `allow` with at most 100 of: a host, `*.domain` or `*`, each with or without a port",
    })
    .optional()
    .meta({
      description:
        "The hosts that `full` runs and the daemon may reach: a host, `*.domain` or `*`; a port is only needed for others than 80 and 443.",
    }),
  max_attempts: atLeast(1, 100).meta({
    description:
      "A run ends after so many lost workers. 3 by default. Drains and answers start it again and aren't counted.",
  }),
  retry: z
    .looseObject({
      max_attempts: z.number().int().min(2).max(100),
      delay_ms: atLeast(0, 24 * 3_600_000),
      factor: z.number().min(1).max(100).optional(),
      max_delay_ms: atLeast(0, 24 * 3_600_000),
    })
    .optional()
    .meta({
      description:
        "A run whose agent fails is tried again. The delay grows by `factor` each time; by default 1 s, 2 s, 4 s … 60 s.",
    }),
  budget: z
    .looseObject({
      ...amounts,
      tree: z.looseObject(amounts).optional().meta({
        description: "What the calls of a run and of all runs that it starts, and they start, may cost together.",
      }),
      thread: z.looseObject(amounts).optional().meta({ description: "The same for all runs of a thread." }),
      agent_day: z.looseObject(amounts).optional().meta({
        description: "The same for all of the agent's runs on a day, in UTC.",
      }),
    })
    .optional()
    .meta({
      description:
        "What a run may use. Calls by connections that don't fit are refused (402). Where no call was metered, a run that reports more is ended. US dollars; input and output tokens together.",
    }),
  concurrency: atLeast(1, 1_000).meta({
    description: "How many of the agent's runs may run at the same time. The others wait.",
  }),
  reuse: z.boolean().optional().meta({
    description:
      "One process executes the version's runs one after another, so that modules, connections and threads stay. For Python and Node. A run that is `isolated` or brings files of its own has a process of its own all the same.",
  }),
  key_concurrency: atLeast(1, 1_000).meta({
    description: "How many of the agent's runs with the same `concurrency_key` may run at the same time.",
  }),
  stop_grace_ms: z.number().int().min(0).max(runLimits.max_stop_grace_ms).optional().meta({
    description:
      "How long a run that is cancelled or out of time may take to end by itself. 2000 by default; 0 kills at once.",
  }),
  idle_timeout_ms: atLeast(1_000, 3_600_000).meta({
    description: "How long the process of an `interactive` thread waits for the next run. 5 minutes by default.",
  }),
  multitask_strategy: z.enum(multitaskStrategies).optional().meta({
    description:
      "A run whose thread is busy: `enqueue` (default): it waits. `reject`: it is refused. `interrupt`: the runs before it are cancelled.",
  }),
  answer_page: z.enum(answerPages).optional().meta({
    description:
      "Who may answer its questions by their page. `link` (default): whoever has the address. `key`: with an API key, too. `off`: nobody.",
  }),
  input_schema: z.record(z.string(), z.unknown()).optional().meta({
    description: "A JSON Schema of the input: a mismatch is a 422. `default`s of its properties are filled in.",
  }),
  output_schema: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: "A JSON Schema of the result: a mismatch ends the run as an error." }),
  secrets: z
    .array(envName)
    .max(100)
    .optional()
    .meta({ description: "Names of secrets that its runs get as environment variables." }),
  connections: z
    .array(z.string().regex(connectionName), {
      error: "must be names of connections: lower case letters, digits, `-` and `_`, at most 63 of them",
    })
    .max(20)
    .optional()
    .meta({
      description: "Names of connections: services that its runs may call by the gateway, which adds the keys.",
    }),
  approvals: z.array(approvalRule).max(50).optional().meta({
    description:
      "Calls by connections that leave only once a person has said yes. What a rule leaves out may be anything; `*` in a path stands for any characters.",
  }),
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

/** A config in a request: an object, whose known keys `checkConfig` checks. OpenAPI shows them. */
export const configObject = (): Field<JsonObject> => {
  const { $schema: _, ...schema } = z.toJSONSchema(agentConfig, { io: "input" });
  return jsonObject().meta(schema);
};

/** Reads a stored config. A key with a wrong type, stored before the service read that key, is left out. */
export function readConfig(given: unknown): AgentConfig {
  const stored = typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
  const parsed = agentConfig.safeParse(stored);
  if (parsed.success) return parsed.data;
  const unread = new Set(parsed.error.issues.map(({ path }) => path[0]));
  return agentConfig.parse(Object.fromEntries(Object.entries(stored).filter(([key]) => !unread.has(key))));
}
