import { expect, test } from "vitest";
import { addUsage } from "../../../../shared/domain/run/add-usage.ts";

test("figures of two attempts add up, and the most memory is the most of either", () => {
  expect(
    addUsage({ input_tokens: 1, cpu_ms: 5, max_rss_bytes: 9 }, { input_tokens: 2, cost_usd: 0.5, max_rss_bytes: 7 }),
  ).toEqual({ input_tokens: 3, cost_usd: 0.5, cpu_ms: 5, max_rss_bytes: 9 });
  expect([addUsage(null, { cpu_ms: 1 }), addUsage({ cpu_ms: 2 }, null), addUsage(null, null)]).toEqual([
    { cpu_ms: 1 },
    { cpu_ms: 2 },
    null,
  ]);
});
