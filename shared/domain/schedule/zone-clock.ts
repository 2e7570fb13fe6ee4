/** Returns a zone's offset at an instant: local time minus UTC, in ms. */
export type ZoneClock = (instant: number) => number;

const dayMs = 86_400_000;

/** Throws RangeError for an unknown zone. */
export function zoneClock(timeZone: string): ZoneClock {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric" });
  return (instant) => {
    const name = format.formatToParts(instant).find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes, seconds = "0"] = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
    if (sign === undefined) return 0;
    const ms = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === "-" ? -ms : ms;
  };
}

export function isTimeZone(name: string): boolean {
  try {
    zoneClock(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns the instant in (from, to] of the clock change. The offsets at `from` and `to` differ. */
export function changeOfClock(clock: ZoneClock, from: number, to: number): number {
  const after = clock(to);
  let [before, changed] = [from, to];
  while (changed - before > 1) {
    const middle = Math.floor((before + changed) / 2);
    if (clock(middle) === after) changed = middle;
    else before = middle;
  }
  return changed;
}

/** Returns the first instant with the local time `wall`, or the instant of the jump over it. */
export function firstShown(clock: ZoneClock, wall: number): number {
  const [before, later] = [clock(wall - dayMs), clock(wall + dayMs)];
  const instants = [wall - before, wall - later].filter((instant) => wall - instant === clock(instant));
  return instants.length > 0 ? Math.min(...instants) : changeOfClock(clock, wall - later, wall - before);
}
