import type { Queryable } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";
import { isWeekOver } from "./week.ts";

const quotaState = {
  plan_id: orNull(t.text),
  prepaid: t.boolean,
  weekly_runs: orNull(t.integer),
  weekly_micro_usd: orNull(t.bigint),
  max_queued_runs: orNull(t.integer),
  max_concurrent_runs: orNull(t.integer),
  week_runs: t.integer,
  week_micro_usd: t.bigint,
  /** The enforced spend limit that is reached. */
  reached_limit: orNull(t.text),
  balance_micro_usd: t.bigint,
  /** Ended, and not yet in the week's count. */
  unbooked: t.integer,
  /** Runs that have not ended; those that are suspended are counted to `weekly_runs`. */
  open: t.integer,
};

type QuotaRow = Row<typeof quotaState>;
type Amount = "balance_micro_usd" | "week_micro_usd" | "weekly_micro_usd";

/** What decides whether a user may run one more: the plan's bounds, null where there is none, and how near the user is to them. */
export type QuotaState = Omit<QuotaRow, Amount> & {
  balance_micro_usd: number;
  week_micro_usd: number;
  weekly_micro_usd: number | null;
};

/** Returns null when the user has neither a plan nor a limit that binds; such a user may have no account at all. */
export async function readQuotaState(db: { sql: Queryable }, user_id: string): Promise<QuotaState | null> {
  const row = await read.first(db.sql, { user_id });
  if (!row) return null;
  return {
    ...row,
    balance_micro_usd: Number(row.balance_micro_usd),
    weekly_micro_usd: row.weekly_micro_usd === null ? null : Number(row.weekly_micro_usd),
    week_micro_usd: Number(row.week_micro_usd),
  };
}

/** Runs are counted only where a plan bounds them by the week; each status by itself, as the partial indexes have them. */
const read = statement({
  name: "read-quota-state",
  takes: { user_id: t.text },
  gives: quotaState,
  text: sql`
    WITH who AS (
      SELECT p.id AS plan_id, p.prepaid, p.weekly_runs, p.weekly_micro_usd, p.max_queued_runs, p.max_concurrent_runs,
        p.weekly_runs IS NOT NULL AS counts, num_nonnulls(p.max_queued_runs, p.max_concurrent_runs) > 0 AS bounds_runs,
        CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_runs, 0) END AS week_runs,
        CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_micro_usd, 0) END AS week_micro_usd,
        (SELECT l.period::text FROM spend_limits l WHERE l.user_id = $user_id AND l.enforced
           AND (l.amount_micro_usd = 0 OR l.period_started_at = date_trunc(l.period::text, now(), 'UTC'))
           AND l.spent_micro_usd >= l.amount_micro_usd LIMIT 1) AS reached_limit
      FROM (SELECT $user_id AS user_id) AS u LEFT JOIN billing_accounts a USING (user_id)
        LEFT JOIN plans p ON p.id = coalesce(a.plan_id, 'default')
    ), open AS (
      SELECT (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.running()})::int AS running,
        (SELECT count(*) FROM runs WHERE user_id = $user_id AND ${runIs.waiting()})::int AS waiting,
        (SELECT count(*) FROM (
          SELECT FROM runs WHERE user_id = $user_id AND ${runIs.suspended()} LIMIT (SELECT weekly_runs FROM who)
        ) AS suspended)::int AS suspended,
        (SELECT count(*) FROM usage_records WHERE user_id = $user_id AND booked_at IS NULL)::int AS unbooked
      FROM who WHERE counts
    )
    SELECT plan_id, coalesce(prepaid, false) AS prepaid, weekly_runs, weekly_micro_usd, max_queued_runs, max_concurrent_runs,
      week_runs, week_micro_usd, reached_limit,
      coalesce((SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'wallet:' || $user_id), 0) AS balance_micro_usd,
      coalesce(unbooked, 0) AS unbooked, coalesce(running + waiting + suspended, 0) AS open
    FROM who LEFT JOIN open ON true
    WHERE plan_id IS NOT NULL OR reached_limit IS NOT NULL`,
});
