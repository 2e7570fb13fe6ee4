import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { isWeekOver } from "./week.ts";

/** Returns what a user may still spend, in millionths of a US dollar: by wallet, plan and enforced limits. Null: nothing bounds it. */
export async function readRemainingSpend(db: { sql: Queryable }, user_id: string): Promise<number | null> {
  const row = await read.first(db.sql, { user_id });
  return row?.room == null ? null : Number(row.room);
}

/** `least` leaves nulls out. */
const read = statement({
  name: "read-spend-room",
  takes: { user_id: t.text },
  gives: { room: orNull(t.bigint) },
  text: sql`
    SELECT least(
      CASE WHEN p.prepaid THEN coalesce(
        (SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'wallet:' || $user_id), 0) END,
      p.weekly_micro_usd - CASE WHEN ${isWeekOver} THEN 0 ELSE coalesce(a.week_micro_usd, 0) END,
      (SELECT min(l.amount_micro_usd - CASE WHEN l.period_started_at = date_trunc(l.period::text, now(), 'UTC')
          THEN l.spent_micro_usd ELSE 0 END)
        FROM spend_limits l WHERE l.user_id = $user_id AND l.enforced))::bigint AS room
    FROM (SELECT $user_id AS user_id) AS u LEFT JOIN billing_accounts a USING (user_id)
      LEFT JOIN plans p ON p.id = coalesce(a.plan_id, 'default')`,
});
