import { z } from "zod";
import { clientId, pageQuery } from "./primitives.ts";
import { openInterrupt } from "./run-event.ts";
import { timeRange } from "./run-filter.ts";

/** A run that waits for a person. */
export const askingRun = z
  .object({
    run_id: z.string(),
    agent_id: z.string(),
    version: z.string(),
    thread_id: z.string().nullable(),
    user_id: z.string(),
    asked_at: z.string(),
    interrupts: z.array(openInterrupt),
  })
  .meta({
    id: "AskingRun",
    example: {
      run_id: "run_019aa5f0c1d27c3e8f4b2a6d9e0f1a2c",
      agent_id: "hello-agent",
      version: "1.0.0",
      thread_id: null,
      user_id: "ada",
      asked_at: "2026-11-21T10:00:01.200Z",
      interrupts: [
        {
          id: "int_019aa5f0c1d27c3e8f4b2a6d9e0f1a2d",
          reason: "input_required",
          message: "Send the mail?",
          response_schema: { type: "boolean" },
          expires_at: "2026-11-22T10:00:01.200Z",
        },
      ],
    },
  });
export type AskingRun = z.infer<typeof askingRun>;

export const askingRunQuery = pageQuery.extend({
  agent_id: clientId().optional().meta({ description: "Only things of this agent." }),
  user_id: clientId().optional().meta({ description: "Only things of this user." }),
  thread_id: clientId().optional().meta({ description: "Only runs of this thread." }),
  ...timeRange,
});
