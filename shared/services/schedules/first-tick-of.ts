import { ValidationFault } from "../../domain/errors/validation-fault.ts";
import { firstTick } from "../../domain/schedule/due-ticks.ts";
import type { JobBody } from "../../schemas/job.ts";

/** Returns the first tick of a schedule, from `now` on. Throws ValidationFault when there is none. */
export function firstTickOf(
  { schedule = null, timezone, ends_at = null }: Pick<JobBody, "schedule" | "timezone" | "ends_at">,
  now: Date,
): Date {
  const first = firstTick({ schedule, timezone, ends_at }, now);
  if (first) return first;
  const [place, what] = firstTick({ schedule, timezone, ends_at: null }, now)
    ? ["ends_at", "it ends before its first tick"]
    : ["schedule", "its time has passed"];
  const msg = `Value error, no tick is to come: ${what}`;
  throw new ValidationFault([{ type: "value_error", loc: ["body", place], msg }]);
}
