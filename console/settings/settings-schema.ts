import type { Schema } from "../form/schema.ts";

type Values = Record<string, unknown>;

const whole = (title: string, description: string, minimum = 1): Schema => ({
  type: "integer",
  title,
  description,
  minimum,
});

/** The parts of a version's config that are edited most. The others are in the version itself. */
export const settingsSchema: Schema = {
  type: "object",
  properties: {
    limits: {
      type: "object",
      title: "One run",
      properties: {
        timeout_ms: whole("Time", "In milliseconds. The run ends as timeout after it."),
        memory_mb: whole("Memory", "In MiB, at least 16.", 16),
        cpu_ms: whole("CPU time", "In milliseconds, of all its processes."),
      },
    },
    retry: {
      type: "object",
      title: "Failed attempts",
      properties: {
        max_attempts: whole("Attempts", "At least 2. Left out: none is repeated.", 2),
        delay_ms: whole("Delay", "In milliseconds, before the second attempt. It needs Attempts.", 0),
      },
    },
    budget: {
      type: "object",
      title: "Budget of a run",
      properties: {
        usd: { type: "number", title: "Cost", description: "In US dollars, more than 0.", minimum: 0 },
        tokens: whole("Tokens", "Input and output together."),
      },
    },
    concurrency: whole("Runs at once", "Further ones wait."),
    secrets: { type: "array", items: { type: "string" }, title: "Secrets", description: "Names, one a line." },
  },
};

const names = Object.keys(settingsSchema.properties ?? {});

export const toSettings = (config: Values): Values =>
  Object.fromEntries(names.filter((name) => config[name] !== undefined).map((name) => [name, config[name]]));

/** Returns the config with other settings. */
export function fromSettings(config: Values, settings: Values): Values {
  const others = Object.entries(config).filter(([name]) => !names.includes(name));
  return Object.fromEntries([...others, ...Object.entries(settings)]);
}
