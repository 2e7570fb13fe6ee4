/** What a zone's clocks show, in ms since 1970 as if it were UTC, less the instant: the offset at an instant. */
export type ZoneClock = (instant: number) => number;

/** Throws RangeError for a name that no zone has. */
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

/** The instant in (from, to] from which on the clock's offset is that of `to`. The two differ. */
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
