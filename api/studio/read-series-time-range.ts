import type { Unit } from "../../shared/domain/analytics/bucket-starts.ts";
import { timeRangeOf } from "../../shared/domain/analytics/time-range.ts";
import { ValidationFault } from "../../shared/domain/errors/validation-fault.ts";

const dayMs = 24 * 3_600_000;
const unitMs = { hour: 3_600_000, day: dayMs, week: 7 * dayMs, month: 28 * dayMs };
const maxBuckets = 1_000;

/** Returns the time range and the buckets of a series query. Throws ValidationFault when there would be too many buckets. */
export function readSeriesTimeRange(query: Parameters<typeof timeRangeOf>[0] & { unit: Unit; timezone: string }) {
  const { since, until } = timeRangeOf(query);
  const { unit, timezone } = query;
  if ((until.getTime() - since.getTime()) / unitMs[unit] > maxBuckets) {
    const msg = `Value error, the time from since to until has more than ${maxBuckets} of these units`;
    throw new ValidationFault([{ type: "value_error", loc: ["query", "unit"], msg }]);
  }
  return { since, until, unit, timezone };
}
