import { z } from "zod";
import { executeRequest } from "./execute-request.ts";
import { jsonObject, text } from "./primitives.ts";

/** What a new run changes in the request of the old one. */
export const replayEdits = z.object({
  version: text({ min: 1, max: 128 }).nullish().meta({ description: "Left out: the version of the old run." }),
  input_payload: jsonObject().nullish().meta({ description: "Replaces the input of the old run." }),
});
export type ReplayEdits = z.infer<typeof replayEdits>;

const { env_vars, files, state_snapshot, completion_callback_url } = executeRequest.shape;

/** The body of POST /v1/runs/{run_id}/replay. A run's env_vars and files are deleted at its end, so they must be sent again. */
export const replayBody = replayEdits
  .extend({ env_vars, files, state_snapshot, completion_callback_url })
  .meta({ id: "ReplayBody", example: { version: "latest", input_payload: { name: "Ada" } } });
export type ReplayBody = z.infer<typeof replayBody>;
