import type { Usage } from "../../schemas/run-event.ts";

/** What two attempts of a run used together: sums, but for the most memory that one of them had. */
export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  const sum = { ...one };
  for (const [name, value] of Object.entries(other) as [keyof Usage, number][])
    sum[name] = name === "max_rss_bytes" ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
  return sum;
}
