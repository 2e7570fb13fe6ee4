import { expect, test } from "vitest";
import { createThrottles } from "../../../worker/calls/throttles.ts";

test("a call that doesn't leave gives its place in the connection's limit to the next one", async () => {
  const throttles = createThrottles();
  const throttled = { key: "openai", requests_per_minute: 1, tokens_per_minute: null };
  const { signal } = new AbortController();
  expect(await throttles.admit(throttled, 10, signal)).toBe(true);
  let isAdmitted = false;
  const next = throttles.admit(throttled, 20, signal).then((may) => (isAdmitted = may));
  await Promise.resolve();
  expect(isAdmitted).toBe(false);
  throttles.giveBack(throttled, 10);
  expect(await next).toBe(true);
});
