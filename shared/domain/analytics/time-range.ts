const dayMs = 24 * 3_600_000;

/** From `since` up to, but not including, `until`. */
export type TimeRange = { since: Date; until: Date };

/** Returns the time range of a query. Defaults: now, and 30 days before `until`. */
export function timeRangeOf(query: { since?: Date | undefined; until?: Date | undefined } = {}): TimeRange {
  const until = query.until ?? new Date();
  return { until, since: query.since ?? new Date(until.getTime() - 30 * dayMs) };
}
