import { z } from "zod";
import { exampleOf } from "./example-of.ts";

/** One run of an internal job. */
export const jobTurn = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["running", "success", "error"]),
    triggered_by: z.string().meta({ description: "`clock`, or the caller that started it." }),
    dry_run: z.boolean(),
    result: z.record(z.string(), z.number()).nullable().meta({ description: "What the job did: numbers by name." }),
    error: z.string().nullable(),
    started_at: z.string(),
    finished_at: z.string().nullable(),
    duration_ms: z.number().int().nullable(),
  })
  .meta({
    id: "InternalJobTurn",
    example: {
      id: "turn_019aa5f0c1d27c3e8f4b2a6d9e0f1a2b",
      name: "expire-queue",
      status: "success",
      triggered_by: "clock",
      dry_run: false,
      result: { expired: 3 },
      error: null,
      started_at: "2026-11-21T10:00:00.000Z",
      finished_at: "2026-11-21T10:00:00.050Z",
      duration_ms: 50,
    },
  });
export type JobTurn = z.infer<typeof jobTurn>;

export const internalJobInfo = z
  .object({
    name: z.string(),
    summary: z.string(),
    every_ms: z.number().int().nullable().meta({ description: "Null: the job is only started by request." }),
    last_run: jobTurn.nullable(),
  })
  .meta({
    id: "InternalJob",
    example: {
      name: "expire-queue",
      summary: "Ends runs that waited too long",
      every_ms: 60_000,
      last_run: exampleOf(jobTurn),
    },
  });
