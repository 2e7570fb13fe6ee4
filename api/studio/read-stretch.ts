import type { Unit } from "../../shared/store/analytics/build-analytics-sql.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

const dayMs = 24 * 3_600_000;
const unitMs = { hour: 3_600_000, day: dayMs, week: 7 * dayMs, month: 28 * dayMs };
const maxBuckets = 1_000;

type Asked = { since?: Date | undefined; until?: Date | undefined };

/** The last 30 days, unless it is said otherwise. */
export function readStretch(query: Asked): { since: Date; until: Date } {
  const until = query.until ?? new Date();
  return { until, since: query.since ?? new Date(until.getTime() - 30 * dayMs) };
}

/** The same in buckets; a 422 where they would be too many. */
export function readSeriesStretch(query: Asked & { unit: Unit; timezone: string }) {
  const { since, until } = readStretch(query);
  const { unit, timezone } = query;
  if ((until.getTime() - since.getTime()) / unitMs[unit] > maxBuckets) {
    const msg = `Value error, the time from since to until has more than ${maxBuckets} of these units`;
    throw new ValidationFault([{ type: "value_error", loc: ["query", "unit"], msg }]);
  }
  return { since, until, unit, timezone };
}
