import { z } from "zod";
import { requestLimits } from "../domain/run/limits.ts";
import { adapterTypes, lifecycles, runtimeModes } from "../domain/run/run-modes.ts";
import { choice, clientId, jsonArray, jsonObject, stringMap, text } from "./primitives.ts";

/** The body of POST /v1/execute, as the specification has it. What it says beyond types is checked in `check-request.ts`. */
export const executeRequest = z
  .object({
    agent_id: clientId().meta({ description: "The agent to run." }),
    version: text({ min: 1, max: 128 }).meta({ description: "An exact version, a tag, `current` or `latest`." }),
    input_payload: jsonObject().default({}).meta({ description: "What the agent's `main` gets." }),
    env_vars: stringMap({ max: requestLimits.env_names })
      .default({})
      .meta({ description: "Kept sealed; wiped when the run ends." }),
    files: stringMap({ max: requestLimits.files })
      .default({})
      .meta({ description: "Relative path to text or a data URL." }),
    history: jsonArray({ max: requestLimits.history_items }).default([]),
    state_snapshot: text().default("").meta({ description: "What an earlier run saved; opaque to the service." }),
    thread_id: clientId().nullish().meta({ description: "An unknown one is made." }),
    adapter_type: choice(adapterTypes)
      .optional()
      .meta({ default: "python", description: "Left out: the one that the version's config names, or else `python`." }),
    runtime_mode: choice(runtimeModes).default("standard"),
    lifecycle: choice(lifecycles).default("serverless"),
    run_id: clientId().nullish().meta({ description: "The same id with the same body attaches to that run." }),
    completion_callback_url: text({ max: 2048 }).nullish().meta({ description: "Told when the run has ended." }),
  })
  .meta({
    id: "ExecuteRequest",
    example: { agent_id: "hello-agent", version: "current", input_payload: { name: "Ada" } },
  });
export type ExecuteRequest = z.infer<typeof executeRequest>;
