import { z } from "zod";
import { text } from "../../shared/schemas/primitives.ts";

/** Any text is accepted as a run id. A text that can't be an id is a 404, not a 422. */
export const runParams = z.object({
  run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }),
});
