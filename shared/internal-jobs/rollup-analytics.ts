import { countOpenSpans, rollUpNext } from "../store/figures/roll-up.ts";
import type { InternalJob } from "./internal-job.ts";

/** Sums up hours and days that are over, so that figures of months read some rows instead of all runs. */
export const rollupAnalytics: InternalJob = {
  name: "rollup-analytics",
  summary: "Sums up the runs of each hour and day that is over, for Studio's figures.",
  every_ms: 60_000,
  async run({ db }, { dry_run, signal }) {
    if (dry_run) return { hours: await countOpenSpans(db, "hour"), days: await countOpenSpans(db, "day") };
    const done = { hours: 0, days: 0 };
    while (!signal.aborted && (await rollUpNext(db, "hour"))) done.hours += 1;
    while (!signal.aborted && (await rollUpNext(db, "day"))) done.days += 1;
    return done;
  },
};
