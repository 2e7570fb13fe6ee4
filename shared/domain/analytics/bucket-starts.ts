import { firstShown, type ZoneClock, zoneClock } from "../schedule/zone-clock.ts";

export type Unit = "hour" | "day" | "week" | "month";

const hourMs = 3_600_000;

/**
 * Returns when the calendar units of a time zone begin that lie in [since, until); the first may begin before `since`. A day whose
 * midnight the clocks skip begins with the jump, and an hour that they repeat is two. By Intl, which knows each name of a zone:
 * Postgres knows those of its system alone, and Debian's has no Asia/Calcutta any more, which browsers say.
 */
export function bucketStarts(unit: Unit, timezone: string, { since, until }: { since: Date; until: Date }): Date[] {
  const clock = zoneClock(timezone);
  const wall = since.getTime() + clock(since.getTime());
  const starts = unit === "hour" ? hoursFrom(clock, since.getTime()) : datesFrom(clock, unit, wall);
  const found: Date[] = [];
  for (const start of starts) {
    if (start >= until.getTime()) return found;
    // Samoa has skipped a whole day.
    if (start !== found.at(-1)?.getTime()) found.push(new Date(start));
  }
  return found;
}

/** Each begins at a full hour of local time, also after a change of the clocks by half an hour. */
function* hoursFrom(clock: ZoneClock, instant: number): Generator<number> {
  const pastHour = (at: number): number => {
    const wall = at + clock(at);
    return wall - Math.floor(wall / hourMs) * hourMs;
  };
  for (let start = instant - pastHour(instant); ; start += hourMs) {
    start += (hourMs - pastHour(start)) % hourMs;
    yield start;
  }
}

function* datesFrom(clock: ZoneClock, unit: "day" | "week" | "month", wall: number): Generator<number> {
  // Its UTC fields are those of local time.
  const date = new Date(wall);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === "week") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === "month") date.setUTCDate(1);
  for (;;) {
    yield firstShown(clock, date.getTime());
    if (unit === "month") date.setUTCMonth(date.getUTCMonth() + 1);
    else date.setUTCDate(date.getUTCDate() + (unit === "week" ? 7 : 1));
  }
}
