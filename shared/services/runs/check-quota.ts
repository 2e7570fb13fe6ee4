import { AppError } from "../../domain/errors/app-error.ts";
import type { CodeOf } from "../../domain/errors/error-codes.ts";
import { readQuotaState, type QuotaState } from "../../store/billing/read-quota-state.ts";
import type { Db } from "../../store/client.ts";
import { isBounded, type PlanRunLimits, planLimitFault } from "../../store/runs/queue/plan-limits.ts";

/**
 * Returns why a user's plan, wallet or spend limit refuses one more run; null: it allows the run. `reserved`: the runs that
 * were accepted since `state` was read.
 */
export function quotaFault(state: QuotaState | null, reserved: number): AppError | null {
  if (!state) return null;
  const { weekly_runs, weekly_micro_usd } = state;
  const reaches = (used: number, bound: number | null): boolean => bound !== null && used >= bound;
  const refused = (code: CodeOf<"quota_exceeded">, message: string) => new AppError("quota_exceeded", code, message);
  const { week_runs, unbooked, open, reached_limit } = state;
  if (state.prepaid && state.balance_micro_usd <= 0)
    return refused("wallet_empty", "The wallet is empty. Top it up with POST /v1/billing/checkout.");
  if (reached_limit !== null)
    return refused("spend_limit_reached", `The spend limit of this ${reached_limit} is reached. Raise it or wait.`);
  if (reaches(week_runs + unbooked + open + reserved, weekly_runs))
    return refused("weekly_runs_reached", `The plan allows ${weekly_runs} runs a week, and all are used.`);
  if (reaches(state.week_micro_usd, weekly_micro_usd))
    return refused("weekly_spend_reached", `The plan allows ${weekly_micro_usd} micro-USD a week, and all are spent.`);
  return null;
}

/** Returns the user's plan, and how many runs it allows at once. */
export const boundsOf = (state: QuotaState | null): PlanRunLimits => ({
  plan_id: state?.plan_id ?? null,
  max_queued_runs: state?.max_queued_runs ?? null,
  max_concurrent_runs: state?.max_concurrent_runs ?? null,
});

/** A user's state is read again after this: until then this process knows of no payment, of no run that ended, and of no run that another process accepted. */
const maxAgeMs = 1_000;
const maxUsers = 10_000;

export type QuotaChecker = {
  /** Reserves one more run of a user. Throws quota_exceeded. Returns the bounds by which the insert counts the run. */
  reserve(user_id: string): Promise<PlanRunLimits>;
  /** Throws as `reserve` and the insert would, and reserves nothing. */
  check(user_id: string): Promise<void>;
};

/** Checks users' quotas. A user's state is read at most once a second; runs accepted since then are counted here. */
export function createQuotaChecker(db: Db): QuotaChecker {
  type Entry = { readAt: number; state: Promise<QuotaState | null>; reserved: number };
  const entries = new Map<string, Entry>();

  function entryOf(user_id: string): Entry {
    const now = performance.now();
    const known = entries.get(user_id);
    if (known && now - known.readAt < maxAgeMs) return known;
    if (entries.size >= maxUsers) entries.clear();
    const entry = { readAt: now, state: readQuotaState(db, user_id), reserved: 0 };
    entry.state.catch(() => entries.delete(user_id));
    entries.set(user_id, entry);
    return entry;
  }

  return {
    async reserve(user_id) {
      const entry = entryOf(user_id);
      const fault = quotaFault(await entry.state, entry.reserved);
      if (fault !== null) throw fault;
      entry.reserved += 1;
      return boundsOf(await entry.state);
    },
    async check(user_id) {
      const { state, reserved } = entryOf(user_id);
      const bounds = boundsOf(await state);
      const fault =
        quotaFault(await state, reserved) ?? (isBounded(bounds) ? await planLimitFault(db.sql, user_id, bounds) : null);
      if (fault !== null) throw fault;
    },
  };
}
