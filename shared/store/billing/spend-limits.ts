import type { SpendLimitRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
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
export async function putSpendLimit(db: Db, { user_id, period, amount_micro_usd, enforced }: NewLimit): Promise<void> {
  const key = { user_id, period };
  if (amount_micro_usd === null) {
    await inBillingTransaction(db, (client) => remove.count(client, key));
    return;
  }
  const values = { ...key, amount_micro_usd: String(amount_micro_usd), enforced };
  if ((await change.count(db.sql, values)) > 0) return;
  // The whole period may be millions of records: they are added up before the lock is taken, which is one for all users.
  const known = await readSpent.first(db.sql, key);
  if (!known) throw new Error("A sum has no row.");
  await inBillingTransaction(db, async (client) => {
    await ensureAccounts(client, [user_id]);
    await insert.count(client, { ...values, ...known });
  });
}

const limitKey = { user_id: t.text, period: t.enumeration<SpendLimitRecord["period"]>("spend_period") };

const remove = statement({
  name: "remove-spend-limit",
  takes: limitKey,
  text: sql`DELETE FROM spend_limits WHERE user_id = $user_id AND period = $period`,
});

const limitColumns = { ...limitKey, amount_micro_usd: t.bigint, enforced: t.boolean };
const changed = sql`amount_micro_usd = $amount_micro_usd, enforced = $enforced, updated_at = now(),
      notified_for = CASE WHEN l.amount_micro_usd = $amount_micro_usd THEN l.notified_for END`;

const change = statement({
  name: "change-spend-limit",
  takes: limitColumns,
  text: sql`UPDATE spend_limits AS l SET ${changed} WHERE user_id = $user_id AND period = $period`,
});

const spent = {
  /** When the period began. */
  started_at: t.timestamptz,
  /** Some minutes ago: each record from before it is committed. */
  cut: t.timestamptz,
  /** What the period's records from before `cut` have cost that are booked. */
  spent: t.bigint,
  /** Records from before `cut` that are not booked yet. */
  unbooked: listOf(t.text),
};

const readSpent = statement({
  name: "read-spent-in-period",
  takes: limitKey,
  gives: spent,
  text: sql`
    SELECT started_at, cut, coalesce((SELECT sum(cost_micro_usd) FROM usage_records
        WHERE user_id = $user_id AND created_at >= started_at AND created_at < cut AND booked_at IS NOT NULL), 0)::bigint AS spent,
      ARRAY(SELECT id FROM usage_records
        WHERE user_id = $user_id AND created_at >= started_at AND created_at < cut AND booked_at IS NULL) AS unbooked
    FROM (SELECT date_trunc($period::text, now(), 'UTC') AS started_at,
      date_trunc('milliseconds', now() - interval '5 minutes') AS cut) AS times`,
});

/** Adds what was booked since, which nobody counts in a limit that isn't there yet. */
const insert = statement({
  name: "insert-spend-limit",
  takes: { ...limitColumns, ...spent },
  text: sql`
    INSERT INTO spend_limits AS l (user_id, period, amount_micro_usd, enforced, period_started_at, spent_micro_usd)
    SELECT $user_id, $period, $amount_micro_usd, $enforced, $started_at, $spent + coalesce((SELECT sum(cost_micro_usd) FROM usage_records
        WHERE user_id = $user_id AND created_at >= greatest($started_at, $cut) AND booked_at IS NOT NULL), 0)
      + coalesce((SELECT sum(cost_micro_usd) FROM usage_records WHERE id = ANY($unbooked) AND booked_at IS NOT NULL), 0)
    ON CONFLICT (user_id, period) DO UPDATE SET ${changed}`,
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
