import { z } from "zod";

/** As the column takes it: Postgres knows no NUL. */
const run_id = z.string().regex(/^[^\0]{1,256}$/);

/** How many runs one job of the queue `runs` may name. */
export const mostRunsInJob = 16;

/**
 * What a job of the queue `runs` carries: ids only, never inputs or secrets. `queued_at`: when the first of them was queued,
 * epoch ms. A worker that takes some of them passes the others on.
 */
export const runJob = z.object({ run_ids: z.array(run_id).max(mostRunsInJob), queued_at: z.number() });
export type RunJob = z.infer<typeof runJob>;

/**
 * What is said to a worker; a hint that may be lost. `look`: the row of a run that it holds changed. `take`: a run waits that
 * only this worker can claim.
 */
export const workerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("look"), run_id }),
  z.object({ kind: z.literal("take"), run_id }),
  z.object({
    kind: z.literal("progress"),
    run_id,
    value: z.number().nullable(),
    message: z.string().nullable(),
  }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
