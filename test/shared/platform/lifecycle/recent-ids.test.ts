import { afterEach, expect, test, vi } from "vitest";
import { rememberIds } from "../../../../shared/platform/lifecycle/recent-ids.ts";

afterEach(() => vi.useRealTimers());

test("an id is remembered for the time that was asked, and forgotten after twice that time", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const ids = rememberIds(1_000);
  vi.advanceTimersByTime(900);
  ids.add("run");
  vi.advanceTimersByTime(1_000);
  expect(ids.has("run")).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect([ids.has("run"), ids.has("other")]).toEqual([false, false]);
});
