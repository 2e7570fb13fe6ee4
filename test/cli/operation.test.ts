import { expect, test } from "vitest";
import { timeOf } from "../../cli/operation.ts";

test("a time is so long ago, or a date", () => {
  const tenMinutesAgo = Date.now() - 600_000;
  expect(Date.parse(timeOf("10m")) - tenMinutesAgo).toBeLessThan(5_000);
  expect(timeOf("2026-11-21")).toBe("2026-11-21T00:00:00.000Z");
  expect(timeOf("2026-11-21T10:00:00+01:00")).toBe("2026-11-21T09:00:00.000Z");
});

test.each(["5", "12", "yesterday 3", "2026", "1w", "", "9999999999999d", "2026-13-01"])(
  "'%s' is refused as a time, which JavaScript may read as a month of 2001",
  (text) => {
    expect(() => timeOf(text)).toThrow(`'${text}' is no time`);
  },
);
