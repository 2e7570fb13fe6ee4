import type { SpendLimitRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";

export type NewLimit = {
  user_id: string;
  period: SpendLimitRecord["period"];
  /** Null: none any more. */
  amount_micro_usd: number | null;
  enforced: boolean;
};

/** Sets a limit; a new one counts what its period has cost so far. */
export function putSpendLimit(db: Db, { user_id, period, amount_micro_usd, enforced }: NewLimit): Promise<void> {
  return inBillingTransaction(db, async (client) => {
    if (amount_micro_usd === null) {
      await remove.count(client, { user_id, period });
      return;
    }
    await ensureAccounts(client, [user_id]);
    await put.count(client, { user_id, period, amount_micro_usd: String(amount_micro_usd), enforced });
  });
}

const limitKey = { user_id: t.text, period: t.enumeration<SpendLimitRecord["period"]>("spend_period") };

const remove = statement({
  name: "remove-spend-limit",
  takes: limitKey,
  text: sql`DELETE FROM spend_limits WHERE user_id = $user_id AND period = $period`,
});

const put = statement({
  name: "put-spend-limit",
  takes: { ...limitKey, amount_micro_usd: t.bigint, enforced: t.boolean },
  text: sql`
    INSERT INTO spend_limits AS l (user_id, period, amount_micro_usd, enforced, period_started_at, spent_micro_usd)
    SELECT $user_id, $period, $amount_micro_usd, $enforced, date_trunc($period::text, now(), 'UTC'),
      coalesce(sum(cost_micro_usd), 0)
    FROM usage_records
    WHERE user_id = $user_id AND booked_at IS NOT NULL AND created_at >= date_trunc($period::text, now(), 'UTC')
    ON CONFLICT (user_id, period) DO UPDATE SET amount_micro_usd = $amount_micro_usd, enforced = $enforced,
      updated_at = now(), notified_for = CASE WHEN l.amount_micro_usd = $amount_micro_usd THEN l.notified_for END`,
});

/** With what this period has cost. */
export async function listSpendLimits(db: Db, user_id: string): Promise<SpendLimitRecord[]> {
  const rows = await list.rows(db.sql, { user_id });
  return rows.map(({ period, amount_micro_usd, enforced, started_at, spent }) => ({
    period,
    amount_micro_usd: Number(amount_micro_usd),
    spent_micro_usd: Number(spent),
    period_started_at: started_at.toISOString(),
    enforced,
  }));
}

const list = statement({
  name: "list-spend-limits",
  takes: { user_id: t.text },
  gives: {
    period: t.word<SpendLimitRecord["period"]>(),
    amount_micro_usd: t.bigint,
    enforced: t.boolean,
    started_at: t.timestamptz,
    spent: t.bigint,
  },
  text: sql`
    SELECT period::text, amount_micro_usd, enforced, date_trunc(period::text, now(), 'UTC') AS started_at,
      CASE WHEN period_started_at = date_trunc(period::text, now(), 'UTC') THEN spent_micro_usd ELSE 0 END AS spent
    FROM spend_limits WHERE user_id = $user_id ORDER BY spend_limits.period`,
});
