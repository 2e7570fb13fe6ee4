const dayMs = 24 * 3_600_000;

/** The stretch of time that figures are of where nobody says another one: 30 days, up to now. */
export function lastDays(query: { since?: Date | undefined; until?: Date | undefined } = {}): {
  since: Date;
  until: Date;
} {
  const until = query.until ?? new Date();
  return { until, since: query.since ?? new Date(until.getTime() - 30 * dayMs) };
}
