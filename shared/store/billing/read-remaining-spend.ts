import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { runIs } from "../runs/run-is.ts";
import { joined, perRow, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isWeekOver, weekStart } from "./week.ts";

/**
 * Returns what a user may still spend, in millionths of a US dollar: by wallet, plan and enforced limits, less what isn't booked yet:
 * usage of ended runs, and calls of runs that have not ended. A plan's week and a limit's period count what came within them. Null:
 * nothing bounds it. `plan_id`: of the run that asks, which is priced by it; null: the user's plan of now.
 */
export async function readRemainingSpend(
  db: { sql: Queryable },
  user_id: string,
  plan_id: string | null,
): Promise<number | null> {
  const row = await read.first(db.sql, { user_id, plan_id });
  return row?.room == null ? null : Number(row.room);
}

/** Each status by itself, as the partial indexes have them. A run that no worker has taken has no calls. */
const unended = joined(
  [runIs.queued(), runIs.running(), runIs.scheduled(), runIs.interrupted(), runIs.suspended()].map(
    (is) => sql`SELECT id FROM runs WHERE user_id = $user_id AND attempt > 0 AND ${is}`,
  ),
  " UNION ALL ",
);

const pendingSince = (begin: Sql): Sql =>
  sql`(SELECT coalesce(sum(micro_usd), 0) FROM pending WHERE created_at >= ${begin})`;
const periodStart = sql`date_trunc(l.period::text, now(), 'UTC')`;

/** `least` leaves nulls out. What isn't booked is only read for a user who is bounded. */
const read = statement({
  name: "read-spend-room",
  takes: { user_id: t.text, plan_id: orNull(t.text) },
  gives: { room: orNull(t.bigint) },
  text: sql`
    WITH pending AS MATERIALIZED (
      SELECT created_at, cost_micro_usd AS micro_usd FROM usage_records WHERE user_id = $user_id AND booked_at IS NULL
      UNION ALL
      SELECT calls.created_at, calls.cost_micro_usd FROM (${unended}) AS run, LATERAL (
        SELECT created_at, cost_micro_usd FROM run_calls WHERE run_id = run.id AND cost_micro_usd > 0 ${perRow}
      ) AS calls
    )
    SELECT least(
      CASE WHEN p.prepaid THEN coalesce(
        (SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'wallet:' || $user_id), 0) - ${pendingSince(sql`'-infinity'`)} END,
      CASE WHEN p.weekly_micro_usd IS NOT NULL THEN
        p.weekly_micro_usd - CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_micro_usd, 0) END
          - ${pendingSince(sql`coalesce(${weekStart}, '-infinity')`)} END,
      (SELECT min(l.amount_micro_usd - CASE WHEN l.period_started_at = ${periodStart} THEN l.spent_micro_usd ELSE 0 END
          - ${pendingSince(periodStart)})
        FROM spend_limits l WHERE l.user_id = $user_id AND l.enforced))::bigint AS room
    FROM (SELECT $user_id AS user_id) AS u LEFT JOIN billing_accounts a USING (user_id)
      LEFT JOIN plans p ON p.id = coalesce($plan_id, a.plan_id, 'default')`,
});
