/** Returns a zone's offset at an instant: local time minus UTC, in ms. */
export type ZoneClock = (instant: number) => number;

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
