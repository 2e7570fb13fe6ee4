import { readPools } from "../../store/queues/read-pools.ts";
import { sampleFleet as sample } from "../../store/queues/fleet-history.ts";
import type { InternalJob } from "./internal-job.ts";

/** Writes down how busy the fleet is, for its history. */
export const sampleFleet: InternalJob = {
  name: "sample-fleet",
  summary: "Writes down each minute how busy each pool is, for the fleet's history, and forgets what is 14 days old.",
  every_ms: 60_000,
  async run({ db }, { dry_run }) {
    return dry_run ? { pools: (await readPools(db)).length } : sample(db);
  },
};
