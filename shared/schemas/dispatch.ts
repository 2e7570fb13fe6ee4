import { z } from "zod";

/** A value of a Postgres text column, which can't hold NUL. */
const run_id = z.string().regex(/^[^\0]{1,256}$/);

/** The largest number of runs that a job of the queue `runs` names. */
export const mostRunsInJob = 16;

/**
 * The content of a job of the queue `runs`: ids only, never inputs or secrets. `queued_at`: when the first of the runs was queued,
 * epoch ms. A worker that takes some of the runs dispatches the others again.
 */
export const runJob = z.object({ run_ids: z.array(run_id).max(mostRunsInJob), queued_at: z.number() });
export type RunJob = z.infer<typeof runJob>;

/**
 * A signal to a worker, which may be lost. `look`: the row of a run that the worker holds has changed. `input`: something was said to a run that the worker holds. `take`: a run is queued that
 * only this worker can claim. `granted`: a run was committed as this worker's, by a credit that it
 * gave; `sealed`: what it would read of it, see seal-grant.ts; null: it is too large for a message.
 */
export const workerMessage = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("look"), run_id }),
  z.object({ kind: z.literal("input"), run_id }),
  z.object({ kind: z.literal("take"), run_id }),
  z.object({ kind: z.literal("granted"), run_id, sealed: z.string().nullable() }),
  z.object({
    kind: z.literal("progress"),
    run_id,
    value: z.number().nullable(),
    message: z.string().nullable(),
  }),
]);
export type WorkerMessage = z.infer<typeof workerMessage>;
