import { countOpenHours, rollUpNextHour } from "../store/figures/roll-up-hour.ts";
import type { InternalJob } from "./internal-job.ts";

/** Sums up hours that are over, so that figures of months read some rows instead of all runs. */
export const rollupAnalytics: InternalJob = {
  name: "rollup-analytics",
  summary: "Sums up the runs of each hour that is over, for Studio's figures.",
  every_ms: 60_000,
  async run({ db }, { dry_run, signal }) {
    if (dry_run) return { hours: await countOpenHours(db) };
    let hours = 0;
    while (!signal.aborted && (await rollUpNextHour(db))) hours += 1;
    return { hours };
  },
};
