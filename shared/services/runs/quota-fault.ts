import type { CodeOf } from "../../domain/errors/error-codes.ts";
import { AppError } from "../../domain/errors/app-error.ts";
import type { QuotaState } from "../../store/billing/read-quota-state.ts";

/** Why a user may not run one more, given how many runs were let in since his standing was read; null: he may. */
export function quotaFault(standing: QuotaState | null, taken: number): AppError | null {
  if (!standing) return null;
  const { weekly_runs, weekly_micro_usd, max_queued_runs, max_concurrent_runs } = standing;
  const reaches = (used: number, bound: number | null): boolean => bound !== null && used >= bound;
  const refused = (code: CodeOf<"quota_exceeded">, message: string) => new AppError("quota_exceeded", code, message);
  const busy = (code: CodeOf<"too_many_requests">, message: string) =>
    new AppError("too_many_requests", code, message, 2);
  const { week_runs, unbooked, open, queued, reached_limit } = standing;
  if (standing.prepaid && standing.balance_micro_usd <= 0) return refused("wallet_empty", "The wallet is empty.");
  if (reached_limit !== null)
    return refused("spend_limit_reached", `The spend limit of this ${reached_limit} is reached.`);
  if (reaches(week_runs + unbooked + open + taken, weekly_runs))
    return refused("weekly_runs_reached", `The plan has ${weekly_runs} runs a week.`);
  if (reaches(standing.week_micro_usd, weekly_micro_usd))
    return refused("weekly_spend_reached", `The plan has ${weekly_micro_usd} micro-USD a week.`);
  if (reaches(queued + taken, max_queued_runs))
    return busy("too_many_queued_runs", `The plan has ${max_queued_runs} queued runs at once.`);
  if (reaches(open + taken, max_concurrent_runs))
    return busy("too_many_open_runs", `The plan has ${max_concurrent_runs} runs at once, with those that wait.`);
  return null;
}
