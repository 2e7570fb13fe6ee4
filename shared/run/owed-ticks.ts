import { nextTick } from "./next-tick.ts";
import type { Schedule } from "./schedule.ts";

/** A tick that is found later than this was missed; one within it only had to wait. */
const graceMs = 60_000;
/** How many missed ticks of one stretch of downtime are told one by one: the oldest, and the last. */
const toldMissed = 100;

export type OwedTicks = { missed: Date[]; fire: Date[]; next: Date | null };

type Owing = { schedule: Schedule | null; timezone: string; catch_up: "none" | "last"; ends_at: Date | null };

/** What becomes of a job whose tick `due` has come, at `now`: the ticks up to now, in order, and the next one. */
export function owedTicks({ schedule, timezone, catch_up, ends_at }: Owing, due: Date, now: Date): OwedTicks {
  // Once, as soon as may be.
  if (schedule === null) return { missed: [], fire: [due], next: null };
  const after = (tick: Date): Date | null => {
    const next = nextTick(schedule, timezone, tick);
    return next && ends_at && next > ends_at ? null : next;
  };
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
  const last = fire.length === 0 && catch_up === "last" ? missed.pop() : undefined;
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
