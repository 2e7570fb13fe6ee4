import { z } from "zod";
import { executeRequest } from "./execute-request.ts";
import { jsonObject, text } from "./primitives.ts";

/** What a new run changes in the request of the old one. */
export const replayEdits = z.object({
  version: text({ min: 1, max: 128 }).nullish().meta({ description: "Left out: the version of the old run." }),
  input_payload: jsonObject().nullish().meta({ description: "Replaces the input of the old run." }),
  from: text({ min: 1, max: 700 }).nullish().meta({
    description:
      "Where the new run goes on: `failed` (the steps that failed are done anew, results stay), a step (`charge#2`, or its key: it is done anew, and what was kept after it), or the id of an event (what was kept after it is done anew). Left out: from the beginning.",
  }),
  set: z
    .record(z.string().min(1).max(700), z.unknown())
    .refine((given) => Object.keys(given).length <= 100, "At most 100 steps")
    .nullish()
    .meta({ description: "Results that steps have instead of their own, by step. Needs `from`." }),
});
export type ReplayEdits = z.infer<typeof replayEdits>;

const { env_vars, files, state_snapshot, completion_callback_url } = executeRequest.shape;

/** The body of POST /v1/runs/{run_id}/replay. A run's env_vars and files are deleted at its end, so they must be sent again. */
export const replayBody = replayEdits
  .extend({ env_vars, files, state_snapshot, completion_callback_url })
  .meta({ id: "ReplayBody", example: { version: "latest", input_payload: { name: "Ada" } } });
export type ReplayBody = z.infer<typeof replayBody>;
