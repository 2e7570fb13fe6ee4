import { z } from "zod";

/** One turn of an internal job. */
export const jobTurn = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["running", "success", "error"]),
    triggered_by: z.string().meta({ description: "`clock`, or who asked for it." }),
    dry_run: z.boolean(),
    result: z.record(z.string(), z.number()).nullable().meta({ description: "What it did, in numbers." }),
    error: z.string().nullable(),
    started_at: z.string(),
    finished_at: z.string().nullable(),
    duration_ms: z.number().int().nullable(),
  })
  .meta({ id: "InternalJobTurn" });
export type JobTurn = z.infer<typeof jobTurn>;

export const internalJobInfo = z
  .object({
    name: z.string(),
    summary: z.string(),
    every_ms: z.number().int().nullable().meta({ description: "Null: only when it is asked for." }),
    last_run: jobTurn.nullable(),
  })
  .meta({ id: "InternalJob" });
