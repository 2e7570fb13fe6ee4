import type { SpendLimitRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
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
      await client.query("DELETE FROM spend_limits WHERE user_id = $1 AND period = $2::spend_period", [
        user_id,
        period,
      ]);
      return;
    }
    await ensureAccounts(client, [user_id]);
    await client.query(put, [user_id, period, amount_micro_usd, enforced]);
  });
}

const put = `
  INSERT INTO spend_limits AS l (user_id, period, amount_micro_usd, enforced, period_started_at, spent_micro_usd)
  SELECT $1, $2::spend_period, $3, $4, date_trunc($2::text, now(), 'UTC'), coalesce(sum(cost_micro_usd), 0)
  FROM usage_records WHERE user_id = $1 AND booked_at IS NOT NULL AND created_at >= date_trunc($2::text, now(), 'UTC')
  ON CONFLICT (user_id, period) DO UPDATE SET amount_micro_usd = $3, enforced = $4, updated_at = now(),
    notified_for = CASE WHEN l.amount_micro_usd = $3 THEN l.notified_for END`;

/** With what this period has cost. */
export async function listSpendLimits(db: Db, user_id: string): Promise<SpendLimitRecord[]> {
  const { rows } = await db.sql.query<Row>(
    `SELECT period::text, amount_micro_usd, enforced, date_trunc(period::text, now(), 'UTC') AS started_at,
       CASE WHEN period_started_at = date_trunc(period::text, now(), 'UTC') THEN spent_micro_usd ELSE 0 END AS spent
     FROM spend_limits WHERE user_id = $1 ORDER BY spend_limits.period`,
    [user_id],
  );
  return rows.map(({ period, amount_micro_usd, enforced, started_at, spent }) => ({
    period,
    amount_micro_usd: Number(amount_micro_usd),
    spent_micro_usd: Number(spent),
    period_started_at: started_at.toISOString(),
    enforced,
  }));
}

type Row = Pick<SpendLimitRecord, "period" | "enforced"> & {
  amount_micro_usd: string;
  spent: string;
  started_at: Date;
};
