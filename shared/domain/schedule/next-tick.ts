import { CronExpressionParser } from "cron-parser";
import { parseSchedule, type Schedule } from "./schedule.ts";
import { changeOfClock, firstShown, type ZoneClock, zoneClock } from "./zone-clock.ts";

/**
 * Returns the first time after `after` at which a schedule fires. Null: never again. Cron uses the zone's local time. On days with
 * a clock change:
 * - an expression that names hours fires once for each time that it names: a skipped time fires right after the jump, and a
 *   repeated time fires the first time;
 * - an expression of every hour (`0 * * * *`) follows elapsed time, without a pause or a double tick.
 *
 * cron-parser itself drops a skipped midnight (Cairo, São Paulo) and finds no time where clocks change by half an hour (Lord
 * Howe). So it only computes times in UTC, and the zone is applied here. Throws what cron-parser throws.
 */
export function nextTick(schedule: Schedule, timezone: string, after: Date): Date | null {
  if (schedule.kind === "at") return schedule.at > after ? schedule.at : null;
  if (schedule.kind === "every") return new Date((Math.floor(after.getTime() / schedule.ms) + 1) * schedule.ms);
  const { expression } = schedule;
  const everyHour = CronExpressionParser.parse(expression).fields.hour.values.length === 24;
  const next = everyHour ? nextByElapsedTime : nextByClock;
  return new Date(next(expression, zoneClock(timezone), after.getTime()));
}

/** Returns why a text is no schedule. Null: it is one. */
export function scheduleFault(text: string): string | null {
  const schedule = parseSchedule(text);
  if ("fault" in schedule) return schedule.fault;
  try {
    if (schedule.kind === "cron" && neverComes(schedule.expression)) return "no month of these has such a day";
    nextTick(schedule, "UTC", new Date(0));
    return null;
  } catch (error) {
    return error instanceof Error ? `not a cron expression: ${error.message}` : "not a cron expression";
  }
}

const daysOfMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * True when no month of the expression has the day, such as 31 April, or one in 28 years has: a fifth Monday of February. The parser
 * would search for a quarter of a second.
 */
function neverComes(expression: string): boolean {
  const { dayOfMonth, dayOfWeek, month } = CronExpressionParser.parse(expression).fields;
  const longest = Math.max(...month.values.map((number) => daysOfMonths[number - 1] ?? 0));
  const hasNoDate = dayOfMonth.values.every((day) => typeof day === "number" && day > longest);
  // A day of the week besides: either of them is enough.
  if (!dayOfWeek.isWildcard) return dayOfWeek.nthDay === 5 && longest === 29 && (hasNoDate || dayOfMonth.isWildcard);
  return hasNoDate;
}

/** Returns the local time of the next tick after the local time `wall`, as if there were no clock change. */
function nextWall(expression: string, wall: number): number {
  return CronExpressionParser.parse(expression, { currentDate: new Date(wall), tz: "UTC" })
    .next()
    .getTime();
}

function nextByElapsedTime(expression: string, clock: ZoneClock, after: number): number {
  const offset = clock(after);
  const tick = nextWall(expression, after + offset) - offset;
  if (clock(tick) === offset) return tick;
  // The clocks change in between. The local time after the change counts, even if it occurs for the second time.
  const change = changeOfClock(clock, after, tick);
  return nextWall(expression, change - 1 + clock(change)) - clock(change);
}

function nextByClock(expression: string, clock: ZoneClock, after: number): number {
  for (let wall = after + clock(after); ;) {
    wall = nextWall(expression, wall);
    const tick = firstShown(clock, wall);
    if (tick > after) return tick;
  }
}
