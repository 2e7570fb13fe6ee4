import { nextTick } from "./next-tick.ts";
import { storedSchedule } from "./schedule.ts";

/** A tick that is found later than this was missed; one within it only had to wait. */
const graceMs = 60_000;
/** How many missed ticks of one stretch of downtime are told one by one: the oldest, and the last. */
const toldMissed = 100;

export type OwedTicks = { missed: Date[]; fire: Date[]; next: Date | null };

/** When a job fires. A `schedule` of null: once, now. */
type Timing = { schedule: string | null; timezone: string; ends_at: Date | null };
type Owing = Timing & { catch_up: "none" | "last" };

/** A job's first tick, from `now` on; null: it has none. */
export const firstTick = (timing: Timing, now: Date): Date | null =>
  timing.schedule === null ? now : ticksOf(timing)(now);

/** Gives the tick after a time; null: no more. */
function ticksOf({ schedule, timezone, ends_at }: Timing): (after: Date) => Date | null {
  const parsed = storedSchedule(schedule);
  return (after) => {
    const next = parsed && nextTick(parsed, timezone, after);
    return next && ends_at && next > ends_at ? null : next;
  };
}

/** What becomes of a job whose tick `due` has come, at `now`: the ticks up to now, in order, and the next one. */
export function owedTicks(job: Owing, due: Date, now: Date): OwedTicks {
  // Once, as soon as may be.
  if (job.schedule === null) return { missed: [], fire: [due], next: null };
  const after = ticksOf(job);
  const grace = new Date(now.getTime() - graceMs);
  const missed: Date[] = [];
  let tick: Date | null = due;
  for (; tick && tick < grace && missed.length < toldMissed; tick = after(tick)) missed.push(tick);
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

/** The last tick before `end`, which is `tick` or a later one. Looks back from the end in growing steps. */
function lastBefore(after: (tick: Date) => Date | null, tick: Date, end: Date): Date {
  let found = tick;
  for (let back = 1_000; found === tick && end.getTime() - back > tick.getTime(); back *= 4) {
    let next = after(new Date(end.getTime() - back));
    for (; next && next < end; next = after(next)) found = next;
  }
  return found;
}
