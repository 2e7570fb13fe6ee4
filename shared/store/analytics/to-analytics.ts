import type { RunAnalytics } from "../../schemas/analytics.ts";
import { type Sums, summed } from "./measures.ts";

/** Sums of runs as they are shown. */
export function toAnalytics(sums: Sums): RunAnalytics {
  const { success, error, timeout, cancelled, expired } = sums;
  const runs = success + error + timeout + cancelled + expired;
  return {
    runs,
    success,
    error,
    timeout,
    cancelled,
    expired,
    success_rate: runs > 0 ? success / runs : null,
    duration_ms: sums.duration_ms_sum,
    cpu_ms: sums.cpu_ms_sum,
    input_tokens: sums.input_tokens,
    output_tokens: sums.output_tokens,
    cost_usd: sums.cost_micro_usd / 1e6,
  };
}

export function addSums(all: readonly Sums[]): Sums {
  const total = (name: keyof Sums) => all.reduce((sum, each) => sum + each[name], 0);
  return Object.fromEntries(summed.map((name) => [name, total(name)])) as Sums;
}

/** The terminal statuses that came up, with how many runs each. */
export function countStatuses(sums: Sums): Record<string, number> {
  const statuses = ["success", "error", "timeout", "cancelled", "expired"] as const;
  return Object.fromEntries(statuses.flatMap((status) => (sums[status] > 0 ? [[status, sums[status]]] : [])));
}
