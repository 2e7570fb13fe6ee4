import type { z } from "zod";
import { percentiles, steps } from "../../domain/analytics/histogram.ts";
import type { distribution } from "../../schemas/analytics.ts";
import type { Db } from "../client.ts";
import type { Measure } from "./histogram-columns.ts";
import { readAnalytics } from "./read-analytics.ts";

/** How a measure is spread over an agent's runs that ended in a time range. */
export async function readDistribution(
  db: Db,
  measure: Measure,
  agent_id: string,
  { since, until }: { since: Date; until: Date },
): Promise<z.infer<typeof distribution>> {
  const range = { since, until, unit: null, timezone: "UTC" };
  const [figures] = await readAnalytics(db, { by: "agent", keys: [agent_id] }, range, [measure]);
  const histogram = figures?.spread[measure] ?? [];
  return { ...percentiles(histogram), steps: steps(histogram) };
}
