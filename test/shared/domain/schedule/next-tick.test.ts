import { expect, test } from "vitest";
import { nextTick, scheduleFault } from "../../../../shared/domain/schedule/next-tick.ts";
import { parseSchedule, type Schedule } from "../../../../shared/domain/schedule/schedule.ts";
import { isTimeZone } from "../../../../shared/domain/schedule/zone-clock.ts";

function schedule(text: string): Schedule {
  const parsed = parseSchedule(text);
  if ("fault" in parsed) throw new Error(parsed.fault);
  return parsed;
}

/** The next ticks after an instant; each is asked for by the one before, as the service does. */
function ticks(text: string, zone: string, from: string, count: number): string[] {
  const found: string[] = [];
  for (let at = new Date(from); found.length < count;) {
    const next = nextTick(schedule(text), zone, at);
    if (next === null) break;
    found.push(next.toISOString().replace(":00.000Z", "Z"));
    at = next;
  }
  return found;
}

test.each([
  ["30 2 * * *", "Europe/Berlin", "2026-03-28T00:00Z", ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"]],
  [
    "30 2 * * *",
    "America/New_York",
    "2026-03-07T00:00Z",
    ["2026-03-07T07:30Z", "2026-03-08T07:00Z", "2026-03-09T06:30Z"],
  ],
  ["0 0 * * *", "Africa/Cairo", "2026-04-22T00:00Z", ["2026-04-22T22:00Z", "2026-04-23T22:00Z", "2026-04-24T21:00Z"]],
  [
    "0 0 * * *",
    "America/Sao_Paulo",
    "2018-11-03T00:00Z",
    ["2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"],
  ],
  [
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-02T12:00Z",
    ["2026-10-02T15:45Z", "2026-10-03T15:30Z", "2026-10-04T15:15Z"],
  ],
  // Samoa had no 30 December.
  ["0 12 30 12 *", "Pacific/Apia", "2011-01-01T00:00Z", ["2011-12-30T10:00Z", "2012-12-29T22:00Z"]],
])("a named time that the clocks skip fires when they have jumped: %s in %s", (text, zone, from, expected) => {
  expect(ticks(text, zone, from, expected.length)).toEqual(expected);
});

test("several named times that are skipped at once fire once", () => {
  const expected = ["2026-03-29T01:00Z", "2026-03-29T01:30Z", "2026-03-30T00:00Z"];
  expect(ticks("*/30 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00Z", 3)).toEqual(expected);
});

test.each([
  ["30 2 * * *", "Europe/Berlin", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T01:30Z"]],
  ["30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
  ["45 1 * * *", "Australia/Lord_Howe", "2026-04-03T20:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]],
  ["15 2 * * *", "Australia/Lord_Howe", "2026-04-03T20:00Z", ["2026-04-04T15:45Z", "2026-04-05T15:45Z"]],
])("a named time that the clocks show twice fires the first time: %s in %s", (text, zone, from, expected) => {
  expect(ticks(text, zone, from, expected.length)).toEqual(expected);
});

test("a job that is made while the clocks show the hour again waits for the next day", () => {
  expect(ticks("30 2 * * *", "Europe/Berlin", "2026-10-25T01:10Z", 1)).toEqual(["2026-10-26T01:30Z"]);
});

test.each([
  ["0 * * * *", "Europe/Berlin", "2026-03-28T23:30Z", "2026-03-29T05:00Z"],
  ["0 * * * *", "Europe/Berlin", "2026-10-24T22:30Z", "2026-10-25T05:00Z"],
  ["*/15 * * * *", "America/New_York", "2026-11-01T03:50Z", "2026-11-01T09:00Z"],
  ["*/15 * * * *", "America/New_York", "2026-03-08T05:50Z", "2026-03-08T09:00Z"],
  ["*/30 * * * *", "Australia/Lord_Howe", "2026-04-04T13:50Z", "2026-04-04T18:00Z"],
  ["*/30 * * * *", "Australia/Lord_Howe", "2026-10-03T13:50Z", "2026-10-03T18:00Z"],
  ["*/10 * * * * *", "Europe/Berlin", "2026-10-25T00:58Z", "2026-10-25T01:02Z"],
])("what fires each hour goes by the time that passes: %s in %s from %s", (text, zone, from, until) => {
  const found: number[] = [];
  for (let at = new Date(from); at < new Date(until);) {
    at = nextTick(schedule(text), zone, at) ?? new Date(until);
    found.push(at.getTime());
  }
  const gaps = new Set(found.slice(1).map((at, i) => at - (found[i] ?? 0)));
  expect(gaps.size).toBe(1);
  expect(found.length).toBeGreaterThan(5);
});

test("Feb 29 comes every fourth year; weekdays, last days and macros are known", () => {
  expect(ticks("0 0 29 2 *", "UTC", "2026-01-01T00:00Z", 2)).toEqual(["2028-02-29T00:00Z", "2032-02-29T00:00Z"]);
  expect(ticks("0 0 29 2 *", "UTC", "2096-03-01T00:00Z", 1)).toEqual(["2104-02-29T00:00Z"]);
  expect(ticks("0 9 * * MON-FRI", "Asia/Tokyo", "2026-11-20T12:00Z", 1)).toEqual(["2026-11-23T00:00Z"]);
  expect(ticks("0 0 L * *", "UTC", "2028-02-01T00:00Z", 1)).toEqual(["2028-02-29T00:00Z"]);
  expect(ticks("@daily", "Asia/Kolkata", "2026-01-01T00:00Z", 1)).toEqual(["2026-01-01T18:30Z"]);
  expect(ticks("0 8 * * THU", "UTC", "2026-11-21T00:00Z", 1)).toEqual(["2026-11-26T08:00Z"]);
});

test("an interval counts from 1970 on, whatever the zone; a time comes once", () => {
  expect(ticks("every 5m", "Europe/Berlin", "2026-01-01T00:01Z", 2)).toEqual([
    "2026-01-01T00:05Z",
    "2026-01-01T00:10Z",
  ]);
  expect(ticks("every 1d", "Asia/Tokyo", "2026-01-01T00:00Z", 1)).toEqual(["2026-01-02T00:00Z"]);
  expect(ticks("2026-05-01T09:00:00+02:00", "UTC", "2026-01-01T00:00Z", 9)).toEqual(["2026-05-01T07:00Z"]);
});

test.each([
  "",
  "*",
  "* * * *",
  "* * * * * * *",
  "H * * * *",
  "1,H * * * *",
  "every",
  "every 0s",
  "every 5",
  "every 1.5h",
  "every 999d",
  "2026-13-01T00:00:00Z",
  "2026-05-01T09:00:00",
  "2026-05-01",
  "@never",
  "soon",
])("%j is no schedule", (text) => {
  expect(parseSchedule(text)).toHaveProperty("fault");
});

test.each(["60 * * * *", "* 24 * * *", "*/0 * * * *", "0 0 30 2 *", "0 0 31 4 *", "a b c d e", "5-1 * * * *"])(
  "the cron expression %s is refused",
  (text) => {
    expect(scheduleFault(text)).toMatch(/^not a cron expression: ./);
  },
);

test.each(["0 0 * 2 1#5", "0 0 31 2 0#5"])("the day of %s comes once in 28 years, and is refused", (text) => {
  expect(scheduleFault(text)).toBe("no month of these has such a day");
});

test("zones are those of the IANA database", () => {
  expect(["UTC", "Europe/Berlin", "Asia/Kathmandu"].map(isTimeZone)).toEqual([true, true, true]);
  expect(["", "Mars/Base", "Berlin"].map(isTimeZone)).toEqual([false, false, false]);
});
