import type { z } from "zod";
import { addHistograms, percentiles } from "../../run/histogram.ts";
import type { studioFigures } from "../../schemas/figures.ts";
import type { Db } from "../client.ts";
import { readFigures } from "./read-figures.ts";
import type { Stretch, Subject } from "./spell-figures.ts";
import { addSums, toFigures } from "./to-figures.ts";

type Series = Pick<z.infer<typeof studioFigures>, "totals" | "series">;

/** The figures of one subject, in buckets and together. */
export async function readSeries(db: Db, subject: Subject, stretch: Stretch): Promise<Series> {
  const buckets = await readFigures(db, subject, stretch, ["duration", "queue"]);
  const together = (measure: "duration" | "queue") =>
    percentiles(addHistograms(buckets.map(({ spread }) => spread[measure])));
  return {
    totals: {
      ...toFigures(addSums(buckets)),
      latency_ms: together("duration"),
      queue_ms: together("queue"),
    },
    series: buckets.map((sums) => ({
      start: sums.start.toISOString(),
      ...toFigures(sums),
      latency_ms: percentiles(sums.spread.duration),
    })),
  };
}
