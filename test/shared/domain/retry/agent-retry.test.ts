import { expect, test } from "vitest";
import { retryDelayMs } from "../../../../shared/domain/retry/agent-retry.ts";

const failure = (code: string) => ({ code, type: null, message: "", traceback: null });
const middle = 0.5;

test("each delay is longer by the factor, up to the longest, until no try is left", () => {
  const delays = (retry: Parameters<typeof retryDelayMs>[0]) =>
    [0, 1, 2, 3, 4, 5, 6, 7].map((failed) =>
      retryDelayMs(retry, { error: failure("agent_error"), failed, random: middle }),
    );
  expect(delays({ max_attempts: 8 })).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, null]);
  expect(delays({ max_attempts: 3, delay_ms: 100, factor: 10, max_delay_ms: 500 }).slice(0, 3)).toEqual([
    100,
    500,
    null,
  ]);
  // A first delay of more than a minute is asked for: no default cuts it.
  expect(delays({ max_attempts: 3, delay_ms: 300_000 }).slice(0, 3)).toEqual([300_000, 300_000, null]);
  expect(delays(undefined)[0]).toBeNull();
});

test("many that failed at once don't come back at once", () => {
  const at = (random: number) =>
    retryDelayMs({ max_attempts: 2 }, { error: failure("process_exited"), failed: 0, random });
  expect([at(0), at(middle), at(0.999)]).toEqual([800, 1_000, 1_200]);
});

test.each(["memory_limit", "no_entrypoint", "budget_exceeded", "timeout", "adapter_unavailable"])(
  "what %s ended would be ended by it again",
  (code) => {
    expect(retryDelayMs({ max_attempts: 9 }, { error: failure(code), failed: 0, random: middle })).toBeNull();
  },
);
