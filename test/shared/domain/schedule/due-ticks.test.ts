import { expect, test } from "vitest";
import { dueTicks, ticksAfter } from "../../../../shared/domain/schedule/due-ticks.ts";

const now = new Date("2026-06-01T12:00:30Z");
const minutesAgo = (minutes: number) => new Date(Math.floor((now.getTime() - minutes * 60_000) / 60_000) * 60_000);
const iso = (ticks: Date[]) => ticks.map((tick) => tick.toISOString().slice(11, 19));

function owed(schedule: string | null, due: Date, more: { catch_up?: "none" | "last"; ends_at?: Date } = {}) {
  const job = { schedule, timezone: "UTC", catch_up: "none", ends_at: null, ...more } as const;
  const { missed, fire, next } = dueTicks(job, due, now);
  return { missed: iso(missed), fire: iso(fire), next: next && iso([next])[0] };
}

test("a tick that is on time fires, and so do those that only waited for less than a minute", () => {
  expect(owed("* * * * *", minutesAgo(0))).toEqual({ missed: [], fire: ["12:00:00"], next: "12:01:00" });
  const seconds = owed("every 10s", minutesAgo(0));
  expect(seconds).toEqual({ missed: [], fire: ["12:00:00", "12:00:10", "12:00:20", "12:00:30"], next: "12:00:40" });
});

test("after downtime older ticks are missed; catch_up: last fires the last one, unless a newer one is on time", () => {
  const due = minutesAgo(180);
  const missed = ["09:00:00", "10:00:00", "11:00:00"];
  expect(owed("0 * * * *", due)).toEqual({ missed, fire: ["12:00:00"], next: "13:00:00" });
  expect(owed("0 * * * *", due, { catch_up: "last" })).toEqual({ missed, fire: ["12:00:00"], next: "13:00:00" });
  expect(owed("30 * * * *", minutesAgo(150))).toEqual({
    missed: ["09:30:00", "10:30:00", "11:30:00"],
    fire: [],
    next: "12:30:00",
  });
  const caught = owed("30 * * * *", minutesAgo(150), { catch_up: "last" });
  expect(caught).toEqual({ missed: ["09:30:00", "10:30:00"], fire: ["11:30:00"], next: "12:30:00" });
});

test("a year of downtime is told by its oldest ticks and its last one, at once", () => {
  const started = performance.now();
  const { missed, fire, next } = owed("* * * * *", minutesAgo(525_600));
  expect(missed).toHaveLength(101);
  expect([missed[0], missed.at(-1), fire, next]).toEqual(["12:00:00", "11:59:00", ["12:00:00"], "12:01:00"]);
  const caught = owed("every 7m", minutesAgo(525_600), { catch_up: "last" });
  expect([caught.missed.length, caught.fire]).toEqual([100, ["11:55:00"]]);
  expect(performance.now() - started).toBeLessThan(2_000);
});

test.each([
  ["* 9-12 * * *", "UTC", "2026-06-01T09:00:00Z", "2026-06-01T20:00:00Z"],
  ["*/5 8-18 * * 1-5", "UTC", "2026-06-05T08:00:00Z", "2026-06-08T07:00:00Z"],
  ["*/30 * 1-3 * * *", "America/New_York", "2026-03-07T06:00:00Z", "2026-03-08T23:00:00Z"],
  ["*/7 * * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", "2026-10-25T01:30:20Z"],
  ["* 0-2 29 2 *", "UTC", "2024-02-29T00:00:00Z", "2026-06-01T12:00:00Z"],
  ["every 7s", "UTC", "2026-06-01T00:00:00Z", "2026-06-02T00:00:03Z"],
])("however %s rests, a downtime's ticks are missed: none of them fires", (schedule, timezone, from, until) => {
  const timing = { schedule, timezone, ends_at: null };
  const end = new Date(until);
  const all = [...ticksAfter(timing, new Date(Date.parse(from) - 1), end)];
  const [due = end] = all;
  const old = all.filter((tick) => tick < new Date(end.getTime() - 60_000));
  const { missed, fire } = dueTicks({ ...timing, catch_up: "none" }, due, end);
  expect(old.length).toBeGreaterThan(101);
  expect(missed).toEqual([...old.slice(0, 100), ...old.slice(-1)]);
  expect(fire).toEqual(all.slice(old.length));
  expect(dueTicks({ ...timing, catch_up: "last" }, due, end).fire.length).toBe(Math.max(1, fire.length));
});

test("a one-off that was missed is caught up only where that is wanted; one without a time fires however late", () => {
  expect(owed("2026-06-01T09:00:00Z", minutesAgo(180))).toEqual({ missed: ["09:00:00"], fire: [], next: null });
  expect(owed("2026-06-01T09:00:00Z", minutesAgo(180), { catch_up: "last" })).toEqual({
    missed: [],
    fire: ["09:00:00"],
    next: null,
  });
  expect(owed(null, minutesAgo(180))).toEqual({ missed: [], fire: ["09:00:00"], next: null });
});

test("nothing is owed after a job's end", () => {
  const ends_at = new Date("2026-06-01T12:00:00Z");
  expect(owed("* * * * *", minutesAgo(2), { ends_at })).toEqual({
    missed: ["11:58:00", "11:59:00"],
    fire: ["12:00:00"],
    next: null,
  });
});
