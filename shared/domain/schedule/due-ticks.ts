import { nextTick } from "./next-tick.ts";
import { storedSchedule } from "./schedule.ts";

/** A tick that is found later than this was missed. */
const graceMs = 60_000;
/** The largest number of missed ticks that are recorded for a downtime: the oldest ones and the last one. */
const maxRecordedMissed = 100;

export type DueTicks = { missed: Date[]; fire: Date[]; next: Date | null };

/** The timing of a job. A `schedule` of null: once, now. */
type Timing = { schedule: string | null; timezone: string; ends_at: Date | null };
type JobTiming = Timing & { catch_up: "none" | "last" };

/** Returns a job's first tick, from `now` on. Null: it has none. */
export const firstTick = (timing: Timing, now: Date): Date | null =>
  timing.schedule === null ? now : ticksOf(timing)(now);

/** Returns the next tick after a time. Null: there is none. */
function ticksOf({ schedule, timezone, ends_at }: Timing): (after: Date) => Date | null {
  const parsed = storedSchedule(schedule);
  return (after) => {
    const next = parsed && nextTick(parsed, timezone, after);
    return next && ends_at && next > ends_at ? null : next;
  };
}

/** Yields the ticks after a time, and not after `end` if there is one. A rare tick takes milliseconds to find. */
export function* ticksAfter(timing: Timing, after: Date, end?: Date): Generator<Date> {
  const next = ticksOf(timing);
  for (let tick = next(after); tick && (!end || tick <= end); tick = next(tick)) yield tick;
}

/** Returns what happens at `now` to a job whose tick `due` is due: the missed ticks, those that fire, and the next one. */
export function dueTicks(job: JobTiming, due: Date, now: Date): DueTicks {
  // Once, now.
  if (job.schedule === null) return { missed: [], fire: [due], next: null };
  const after = ticksOf(job);
  const grace = new Date(now.getTime() - graceMs);
  const missed: Date[] = [];
  let tick: Date | null = due;
  for (; tick && tick < grace && missed.length < maxRecordedMissed; tick = after(tick)) missed.push(tick);
  if (tick && tick < grace) {
    const last = lastBefore(after, tick, grace);
    missed.push(last);
    tick = after(last);
  }
  const fire: Date[] = [];
  for (; tick && tick <= now; tick = after(tick)) fire.push(tick);
  const last = fire.length === 0 && job.catch_up === "last" ? missed.pop() : undefined;
  return { missed, fire: last ? [last] : fire, next: tick };
}

/** Returns the last tick before `end`: `tick` or a later one. Ticks are whole seconds. It halves the time that is left to search. */
function lastBefore(after: (time: Date) => Date | null, tick: Date, end: Date): Date {
  let found = tick;
  let searchedFrom = end.getTime();
  while (searchedFrom - found.getTime() >= 1_000) {
    const middle = (found.getTime() + searchedFrom) / 2;
    const next = after(new Date(middle));
    if (next && next < end) found = next;
    else searchedFrom = middle;
  }
  return found;
}
