import { z } from "zod";
import { text } from "../../shared/schemas/primitives.ts";

/** Any text is a run id here: one that can't be an id names no run, which is a 404. */
export const runParams = z.object({
  run_id: text({ max: 512 }).meta({ example: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c" }),
});
