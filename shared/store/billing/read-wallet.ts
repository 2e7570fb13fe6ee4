import type { WalletRecord } from "../../schemas/billing.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { readPlan } from "./plans.ts";
import { listSpendLimits } from "./spend-limits.ts";
import { isWeekOver, weekStart } from "./week.ts";

/** A user's money, plan and bounds. Who has no account has an empty one. */
export async function readWallet(db: Db, user_id: string): Promise<WalletRecord> {
  const row = await read.first(db.sql, { user_id });
  const started = row?.started_at ?? new Date();
  return {
    object: "wallet",
    user_id,
    balance_micro_usd: Number(row?.balance_micro_usd ?? 0),
    plan: await readPlan(db, row?.plan_id ?? "default"),
    week: {
      started_at: started.toISOString(),
      ends_at: new Date(started.getTime() + weekMs).toISOString(),
      runs: row?.runs ?? 0,
      micro_usd: Number(row?.micro_usd ?? 0),
    },
    spend_limits: await listSpendLimits(db, user_id),
  };
}

const weekMs = 7 * 24 * 3_600_000;

const read = statement({
  name: "read-wallet",
  takes: { user_id: t.text },
  gives: {
    plan_id: orNull(t.text),
    started_at: t.timestamptz,
    runs: t.integer,
    micro_usd: t.bigint,
    balance_micro_usd: t.bigint,
  },
  text: sql`
    SELECT plan_id, ${weekStart} AS started_at,
      CASE WHEN ${isWeekOver} THEN 0 ELSE week_runs END AS runs,
      CASE WHEN ${isWeekOver} THEN 0 ELSE week_micro_usd END AS micro_usd,
      coalesce((SELECT balance_micro_usd FROM ledger_accounts WHERE id = 'wallet:' || $user_id), 0) AS balance_micro_usd
    FROM billing_accounts WHERE user_id = $user_id`,
});
