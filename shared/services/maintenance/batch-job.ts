import type { Db } from "../../store/client.ts";
import type { InternalJob } from "./internal-job.ts";
import { repeatBatches } from "./repeat-batches.ts";

type BatchJob = Pick<InternalJob, "name" | "summary" | "every_ms"> & {
  /** The name of the row count in the job's result. */
  counts: string;
  /** Changes at most `batch` rows and returns their number. With `dryRun` it changes none and counts the rows to change. */
  act: (db: Db, options: { batch: number; dryRun: boolean }) => Promise<number>;
};

/** An internal job that repeats one statement until nothing is left to change. */
export const batchJob = ({ counts, act, ...job }: BatchJob): InternalJob => ({
  ...job,
  async run({ db }, { dry_run, signal }) {
    const count = dry_run
      ? await act(db, { batch: 0, dryRun: true })
      : await repeatBatches((batch) => act(db, { batch, dryRun: false }), { limit: 500, signal });
    return { [counts]: count };
  },
});
