import { expect, test } from "vitest";
import { formatCost, formatTime } from "../../../console/ui/format.ts";

test("a time says the day where it isn't today's, and the year where it isn't this one", () => {
  const now = new Date();
  const at = (year: number, month: number, date: number): string =>
    new Date(year, month, date, 9, 5, 7, 120).toISOString();
  const today = at(now.getFullYear(), now.getMonth(), now.getDate());
  expect([formatTime(today), formatTime(today, true)]).toEqual(["09:05:07", "09:05:07.120"]);
  const another = at(now.getFullYear(), now.getMonth() === 1 ? 2 : 1, 3);
  expect(formatTime(another)).toMatch(/^3 (Feb|Mar) 09:05$/);
  expect(formatTime(another, true)).toMatch(/^3 (Feb|Mar) 09:05:07\.120$/);
  expect(formatTime(at(2020, 1, 3))).toBe("3 Feb 2020 09:05");
});

test("a cost that is not nothing is never shown as nothing", () => {
  expect([0, 123.4567, 1.5, 0.00012, 0.00004, 0.0000001].map((usd) => formatCost(usd))).toEqual([
    ...["$0", "$123.46", "$1.5000", "$0.0001", "$0.000040", "<$0.000001"],
  ]);
});
