import { countOpenSpans, rollUpNext } from "../../store/analytics/roll-up.ts";
import type { InternalJob } from "./internal-job.ts";

/** Sums up finished half hours and days, so that analytics over months read a few rows instead of all runs. */
export const rollupAnalytics: InternalJob = {
  name: "rollup-analytics",
  summary: "Sums up the runs of each finished half hour and day, for Studio's analytics.",
  every_ms: 60_000,
  async run({ db }, { dry_run, signal }) {
    if (dry_run) return { half_hours: await countOpenSpans(db, "half_hour"), days: await countOpenSpans(db, "day") };
    const done = { half_hours: 0, days: 0 };
    while (!signal.aborted && (await rollUpNext(db, "half_hour"))) done.half_hours += 1;
    while (!signal.aborted && (await rollUpNext(db, "day"))) done.days += 1;
    return done;
  },
};
