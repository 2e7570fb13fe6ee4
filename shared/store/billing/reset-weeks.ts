import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";
import { isWeekOver, weekStart } from "./week.ts";

/**
 * Begins a new week for at most `batch` accounts whose week is over. Returns
 * how many; with `dryRun` how many there are, changing nothing.
 */
export async function resetWeeks(db: Db, { batch, dryRun }: { batch: number; dryRun: boolean }): Promise<number> {
  const over = (await count.first(db.sql))?.count ?? 0;
  if (dryRun || over === 0) return over;
  return inBillingTransaction(db, (client) => reset.count(client, { limit: batch }));
}

const count = statement({
  name: "count-weeks-over",
  gives: { count: t.integer },
  text: sql`SELECT count(*)::int AS count FROM billing_accounts WHERE ${isWeekOver}`,
});

const reset = statement({
  name: "reset-weeks",
  takes: { limit: t.integer },
  text: sql`
    UPDATE billing_accounts SET week_runs = 0, week_micro_usd = 0, updated_at = now(), week_started_at = ${weekStart}
    WHERE user_id IN (
      SELECT user_id FROM billing_accounts WHERE ${isWeekOver} ORDER BY week_started_at LIMIT $limit)`,
});
