import type { Db } from "../client.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";
import { isWeekOver, weekStart } from "./week.ts";

/**
 * Begins a new week for at most `batch` accounts whose week is over. Gives how
 * many; with `dryRun` how many there are, changing nothing.
 */
export async function resetWeeks(db: Db, { batch, dryRun }: { batch: number; dryRun: boolean }): Promise<number> {
  if (dryRun) {
    const { rows } = await db.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM billing_accounts WHERE ${isWeekOver}`,
    );
    return rows[0]?.n ?? 0;
  }
  return inBillingTransaction(db, async (client) => (await client.query(reset, [batch])).rowCount ?? 0);
}

const reset = `
  UPDATE billing_accounts SET week_runs = 0, week_micro_usd = 0, updated_at = now(), week_started_at = ${weekStart}
  WHERE user_id IN (SELECT user_id FROM billing_accounts WHERE ${isWeekOver} ORDER BY week_started_at LIMIT $1)`;
