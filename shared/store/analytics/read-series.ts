import type { z } from "zod";
import { addHistograms, percentiles } from "../../domain/analytics/histogram.ts";
import type { studioAnalytics } from "../../schemas/analytics.ts";
import type { Db } from "../client.ts";
import { readAnalytics } from "./read-analytics.ts";
import type { TimeRange, Subject } from "./build-analytics-sql.ts";
import { addSums, toAnalytics } from "./to-analytics.ts";

type Series = Pick<z.infer<typeof studioAnalytics>, "totals" | "series">;

/** The figures of one subject, in buckets and together. */
export async function readSeries(db: Db, subject: Subject, range: TimeRange): Promise<Series> {
  const [buckets, whole] = await Promise.all([
    readAnalytics(db, subject, range, ["duration"]),
    // Of the queue no bucket tells, and as one they are much less to read.
    readAnalytics(db, subject, { ...range, unit: null }, ["queue"]),
  ]);
  return {
    totals: {
      ...toAnalytics(addSums(buckets)),
      latency_ms: percentiles(addHistograms(buckets.map(({ spread }) => spread.duration))),
      queue_ms: percentiles(addHistograms(whole.map(({ spread }) => spread.queue))),
    },
    series: buckets.map((sums) => ({
      start: sums.start.toISOString(),
      ...toAnalytics(sums),
      latency_ms: percentiles(sums.spread.duration),
    })),
  };
}
