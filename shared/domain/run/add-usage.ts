import type { Usage } from "../../schemas/run-event.ts";

/** Returns the usage of two attempts together: sums, and the larger one of the memory peaks. */
export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  const sum = { ...one };
  for (const [name, value] of Object.entries(other) as [keyof Usage, number][])
    sum[name] = name === "max_rss_bytes" ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
  return sum;
}
