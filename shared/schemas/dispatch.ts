import { z } from "zod";

/** What a job of the queue `runs` carries: ids only, never inputs or secrets. */
export const runJob = z.object({ run_id: z.string() });
export type RunJob = z.infer<typeof runJob>;
