import { z } from "zod";
import { requestLimits } from "../domain/run/request-limits.ts";
import { adapterTypes, lifecycles, runtimeModes } from "../domain/run/run-modes.ts";
import { labelledMetadata, tagList } from "./labels.ts";
import { requestOptions, startOptions } from "./request-options.ts";
import { choice, clientId, jsonArray, jsonObject, stringMap, text } from "./primitives.ts";

/** The body of POST /v1/execute. `check-request.ts` checks what types can't. */
export const executeRequest = z
  .object({
    agent_id: clientId().meta({ description: "The agent to run." }),
    version: text({ min: 1, max: 128 }).meta({ description: "An exact version, a tag, `current` or `latest`." }),
    input_payload: jsonObject().default({}).meta({ description: "The input of the agent's `main`." }),
    env_vars: stringMap({ max: requestLimits.env_names })
      .default({})
      .meta({ description: "Environment variables. They are stored encrypted and deleted when the run ends." }),
    files: stringMap({ max: requestLimits.files }).default({}).meta({
      description:
        "Files by relative path. The content is text or a data URL of at most 5 MiB. The whole request has at most 6 MiB.",
    }),
    history: jsonArray({ max: requestLimits.history_items }).default([]),
    state_snapshot: text()
      .default("")
      .meta({ description: "The state that an earlier run saved. The service does not interpret it." }),
    thread_id: clientId().nullish().meta({ description: "The thread of the run. An unknown id creates a thread." }),
    adapter_type: choice(adapterTypes).optional().meta({
      default: "python",
      description:
        "`python` or left out: the adapter in the version's config, else Python. Another one than the config's is a 422 `adapter_mismatch`.",
    }),
    runtime_mode: choice(runtimeModes).default("standard"),
    lifecycle: choice(lifecycles).default("serverless"),
    run_id: clientId().nullish().meta({
      description:
        "An id for the run, which no other run gets once it was executed, also when it is deleted. A repeated request with the same id and body attaches to the existing run.",
    }),
    metadata: labelledMetadata()
      .default({})
      .meta({ description: "The client's own data on the run, by which lists are filtered." }),
    tags: tagList()
      .default([])
      .meta({ description: "The client's own words for the run, by which lists are filtered." }),
    completion_callback_url: text({ max: 2048 })
      .nullish()
      .meta({ description: "This URL gets a POST when the run has ended." }),
    ...startOptions,
    ...requestOptions,
  })
  .meta({
    id: "ExecuteRequest",
    example: { agent_id: "hello-agent", version: "current", input_payload: { name: "Ada" } },
  });
export type ExecuteRequest = z.infer<typeof executeRequest>;
