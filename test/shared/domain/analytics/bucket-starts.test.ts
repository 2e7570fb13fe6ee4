import { expect, test } from "vitest";
import { bucketStarts } from "../../../../shared/domain/analytics/bucket-starts.ts";

const startsOf = (unit: Parameters<typeof bucketStarts>[0], zone: string, since: string, until: string): string[] =>
  bucketStarts(unit, zone, { since: new Date(since), until: new Date(until) }).map((start) =>
    start.toISOString().slice(0, 16),
  );

/** A local time, such as `2026-04-24 01:00`. */
const wallOf = (zone: string, instant: number): string =>
  new Date(instant).toLocaleString("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });

test.each([
  ["Africa/Cairo", "2026-04-24"],
  ["Asia/Beirut", "2026-03-29"],
  ["Atlantic/Azores", "2026-03-29"],
  ["America/Havana", "2026-03-08"],
  ["America/Santiago", "2026-09-06"],
])("%s: a day whose midnight the clocks skip begins with the jump, and the days after it at midnight", (zone, day) => {
  const year = { since: new Date("2026-01-01T12:00Z"), until: new Date("2026-12-31T12:00Z") };
  const starts = bucketStarts("day", zone, year).map((start) => start.getTime());
  expect(starts).toHaveLength(365);
  const walls = starts.map((start) => wallOf(zone, start));
  expect(new Set(walls.map((wall) => wall.slice(0, 10))).size).toBe(365);
  expect(walls.filter((wall) => !wall.endsWith(" 00:00"))).toEqual([`${day} 01:00`]);
  for (const [at, start] of starts.entries())
    expect(wallOf(zone, start - 60_000).slice(0, 10)).not.toBe(walls[at]?.slice(0, 10));
});

test("weeks begin on Monday, months with the first; hours that are repeated are two, and each begins at a full one", () => {
  expect(startsOf("week", "Europe/Berlin", "2026-03-22T12:00Z", "2026-04-01T00:00Z")).toEqual([
    "2026-03-15T23:00",
    "2026-03-22T23:00",
    "2026-03-29T22:00",
  ]);
  expect(startsOf("month", "Africa/Cairo", "2026-03-31T23:00Z", "2026-05-01T00:00Z")).toEqual([
    "2026-03-31T22:00",
    "2026-04-30T21:00",
  ]);
  expect(startsOf("hour", "Europe/Berlin", "2026-10-24T23:30Z", "2026-10-25T02:30Z")).toEqual([
    "2026-10-24T23:00",
    "2026-10-25T00:00",
    "2026-10-25T01:00",
    "2026-10-25T02:00",
  ]);
  // Half an hour is skipped there.
  const howe = bucketStarts("hour", "Australia/Lord_Howe", {
    since: new Date("2026-10-03T12:00Z"),
    until: new Date("2026-10-04T00:00Z"),
  });
  expect(howe).toHaveLength(12);
  expect(howe.every((start) => wallOf("Australia/Lord_Howe", start.getTime()).endsWith(":00"))).toBe(true);
  expect(startsOf("hour", "UTC", "1969-12-31T22:30Z", "1970-01-01T00:00Z")).toEqual([
    "1969-12-31T22:00",
    "1969-12-31T23:00",
  ]);
});

test("names that browsers say and Postgres may not know are names; a day that was skipped is none", () => {
  const [since, until] = ["2026-01-01T12:00Z", "2026-02-01T12:00Z"];
  for (const [old, now] of [
    ["Asia/Calcutta", "Asia/Kolkata"],
    ["Asia/Saigon", "Asia/Ho_Chi_Minh"],
    ["Europe/Kiev", "Europe/Kyiv"],
    ["America/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ] as const)
    expect(startsOf("day", old, since, until)).toEqual(startsOf("day", now, since, until));
  expect(startsOf("day", "Pacific/Apia", "2011-12-29T12:00Z", "2012-01-01T12:00Z")).toEqual([
    "2011-12-29T10:00",
    "2011-12-30T10:00",
    "2011-12-31T10:00",
    "2012-01-01T10:00",
  ]);
  expect(startsOf("day", "UTC", "2026-01-02T00:00Z", "2026-01-01T00:00Z")).toEqual([]);
});
