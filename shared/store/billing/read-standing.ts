import type { Db } from "../client.ts";
import { isWeekOver } from "./week.ts";

/** What decides whether a user may run one more: his plan's bounds, null where there is none, and how near he is to them. */
export type Standing = {
  prepaid: boolean;
  balance_micro_usd: number;
  weekly_runs: number | null;
  weekly_micro_usd: number | null;
  max_queued_runs: number | null;
  max_concurrent_runs: number | null;
  week_runs: number;
  week_micro_usd: number;
  /** Ended, and not yet in the week's count. */
  unbooked: number;
  queued: number;
  /** Queued, running, or waiting for somebody. */
  open: number;
  /** The enforced spend limit that is reached. */
  reached_limit: string | null;
};

/** Null: no plan and no limit binds the user, who may have no account at all. */
export async function readStanding(db: Db, user_id: string): Promise<Standing | null> {
  const { rows } = await db.sql.query<Row>({ ...statement, values: [user_id] });
  const [row] = rows;
  if (!row) return null;
  return {
    ...row,
    balance_micro_usd: Number(row.balance_micro_usd),
    weekly_micro_usd: row.weekly_micro_usd === null ? null : Number(row.weekly_micro_usd),
    week_micro_usd: Number(row.week_micro_usd),
  };
}

type Amounts = "balance_micro_usd" | "weekly_micro_usd" | "week_micro_usd";
type Row = Omit<Standing, Amounts> & {
  balance_micro_usd: string;
  weekly_micro_usd: string | null;
  week_micro_usd: string;
};

/** Runs are counted only where a plan bounds them; each status by itself, as the partial indexes have them. */
const statement = {
  name: "read-standing",
  text: `
    WITH who AS (
      SELECT p.prepaid, p.weekly_runs, p.weekly_micro_usd, p.max_queued_runs, p.max_concurrent_runs,
        num_nonnulls(p.weekly_runs, p.max_queued_runs, p.max_concurrent_runs) > 0 AS counts,
        CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_runs, 0) END AS week_runs,
        CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_micro_usd, 0) END AS week_micro_usd,
        (SELECT l.period::text FROM spend_limits l WHERE l.user_id = $1 AND l.enforced
           AND (l.amount_micro_usd = 0 OR l.period_started_at = date_trunc(l.period::text, now(), 'UTC'))
           AND l.spent_micro_usd >= l.amount_micro_usd LIMIT 1) AS reached_limit
      FROM (SELECT $1::text AS user_id) AS u LEFT JOIN billing_accounts a USING (user_id)
        LEFT JOIN plans p ON p.id = coalesce(a.plan_id, 'default')
    ), open AS (
      SELECT (SELECT count(*) FROM runs WHERE user_id = $1 AND status = 'queued')::int AS queued,
        (SELECT count(*) FROM runs WHERE user_id = $1 AND status = 'running')::int AS running,
        (SELECT count(*) FROM runs WHERE user_id = $1 AND status IN ('scheduled', 'queued', 'interrupted'))::int AS waiting,
        (SELECT count(*) FROM usage_records WHERE user_id = $1 AND booked_at IS NULL)::int AS unbooked
      FROM who WHERE counts
    )
    SELECT coalesce(prepaid, false) AS prepaid, weekly_runs, weekly_micro_usd, max_queued_runs, max_concurrent_runs,
      week_runs, week_micro_usd, reached_limit,
      coalesce((SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'wallet:' || $1), 0) AS balance_micro_usd,
      coalesce(unbooked, 0) AS unbooked, coalesce(queued, 0) AS queued, coalesce(running + waiting, 0) AS open
    FROM who LEFT JOIN open ON true
    WHERE prepaid OR counts OR weekly_micro_usd IS NOT NULL OR reached_limit IS NOT NULL`,
};
