import type { z } from "zod";
import { addHistograms, type Histogram, percentiles } from "../../run/histogram.ts";
import type { studioFigures } from "../../schemas/figures.ts";
import type { Db } from "../client.ts";
import { readFigures, readSpread } from "./read-figures.ts";
import type { Stretch, Subject } from "./spell-figures.ts";
import { addSums, toFigures } from "./to-figures.ts";

type Series = Pick<z.infer<typeof studioFigures>, "totals" | "series">;

/** The figures of one subject, in buckets and together. */
export async function readSeries(db: Db, subject: Subject, stretch: Stretch): Promise<Series> {
  const [buckets, latencies, queues] = await Promise.all([
    readFigures(db, subject, stretch),
    readSpread(db, "duration", subject, stretch),
    readSpread(db, "queue", subject, { ...stretch, unit: null }),
  ]);
  const latencyAt = new Map(latencies.map(({ start, histogram }) => [start.getTime(), histogram]));
  const at = (start: Date): Histogram => latencyAt.get(start.getTime()) ?? [];
  return {
    totals: {
      ...toFigures(addSums(buckets)),
      latency_ms: percentiles(addHistograms([...latencyAt.values()])),
      queue_ms: percentiles(queues[0]?.histogram ?? []),
    },
    series: buckets.map((sums) => ({
      start: sums.start.toISOString(),
      ...toFigures(sums),
      latency_ms: percentiles(at(sums.start)),
    })),
  };
}
