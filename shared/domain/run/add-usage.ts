import type { TokenUsage, Usage } from "../../schemas/run-event.ts";

/** Returns the usage of two attempts together: sums, and the larger one of the memory peaks. */
export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (!one || !other) return one ?? other;
  const { metered, reported, ...figures } = other;
  const sum: Usage = { ...one };
  for (const [name, value] of Object.entries(figures) as [keyof typeof figures, number][])
    sum[name] = name === "max_rss_bytes" ? Math.max(sum[name] ?? 0, value) : (sum[name] ?? 0) + value;
  if (metered) sum.metered = addTokens(one.metered, metered);
  if (reported) sum.reported = addTokens(one.reported, reported);
  return sum;
}

function addTokens(one: TokenUsage = {}, other: TokenUsage): TokenUsage {
  const sum = { ...one };
  for (const [name, value] of Object.entries(other) as [keyof TokenUsage, number][])
    sum[name] = (sum[name] ?? 0) + value;
  return sum;
}
