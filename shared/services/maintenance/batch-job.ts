import type { Db } from "../../store/client.ts";
import type { InternalJob } from "./internal-job.ts";
import { repeatBatches } from "./repeat-batches.ts";

type BatchJob = Pick<InternalJob, "name" | "summary" | "every_ms"> & {
  /** What its result calls the number of rows. */
  counts: string;
  /** Changes at most `batch` rows and gives how many; with `dryRun` none, and how many there are. */
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
