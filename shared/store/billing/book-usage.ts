import type { Db } from "../client.ts";
import { listOf, t } from "../columns.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { notify } from "../notifications/notify.ts";
import { bookTransfers } from "./book-transfers.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";
import { isWeekOver, weekStart } from "./week.ts";

const batch = 500;

/** Books the usage that waits for it. */
export async function bookAllUsage(db: Db): Promise<void> {
  while ((await bookUsage(db)) === batch);
}

/**
 * Prices a batch of usage records and counts them: in the week and the spend limits of their users, and out of the
 * wallet of who pays each run. Each record once, since that is one transaction. Returns how many there were.
 */
async function bookUsage(db: Db): Promise<number> {
  // Looked for before the lock is taken: the lock is one for all, and mostly nothing is due.
  if ((await due.count(db.sql, { limit: 1 })) === 0) return 0;
  return inBillingTransaction(db, async (client) => {
    const ids = await due.rows(client, { limit: batch });
    const rows = await price.rows(client, { ids: ids.map(({ id }) => id) });
    if (rows.length === 0) return 0;
    await ensureAccounts(
      client,
      rows.map(({ user_id }) => user_id),
    );
    const costs = rows.map(({ user_id, cost, source }) => ({ user_id, cost, runs: counts(source) ? 1 : 0 }));
    await countInWeek.count(client, { costs });
    await countInLimits.count(client, { costs });
    const paid = rows.filter(({ prepaid, cost }) => prepaid && cost !== "0");
    await bookTransfers(
      client,
      paid.map(({ source, source_id, user_id, agent_id, cost }) => ({
        user_id,
        against: "revenue",
        amount_micro_usd: -Number(cost),
        source: "usage",
        // A run and what came after its end have one id.
        source_id: source === "late" ? `${source_id}/late` : source_id,
        type: "usage",
        description: counts(source) ? `A run of ${agent_id}` : `What came after the end of a run of ${agent_id}`,
      })),
    );
    const reached = await markReached.rows(client, { user_ids: rows.map(({ user_id }) => user_id) });
    for (const { user_id, period } of reached) {
      const title = `The spend limit of this ${period} is reached`;
      await notify(client, {
        user_id,
        type: "billing.spend_limit",
        level: "warning",
        title,
        body: null,
        agent_id: null,
        run_id: null,
        data: { period },
        // What was marked is told once, and again for an amount that was set since.
        dedup_key: null,
      });
    }
    return rows.length;
  });
}

/** False for a record of what came after its run's end. The run itself has one, too. */
const counts = (source: string): boolean => source !== "call" && source !== "late";

/**
 * A run is priced by the plan under which it was accepted. Where none is noted, as of runs that an earlier version accepted, it is
 * the user's plan of now, or the one named `default`, where there is one.
 */
const ofPlan = (column: string): Sql => sql`(
  SELECT ${raw(column)} FROM plans
  WHERE id = coalesce(u.plan_id, (SELECT plan_id FROM billing_accounts a WHERE a.user_id = u.user_id), 'default'))`;

const due = statement({
  name: "find-due-usage",
  takes: { limit: t.integer },
  gives: { id: t.text },
  text: sql`SELECT id FROM usage_records WHERE booked_at IS NULL LIMIT $limit`,
});

/** By their ids, and with look-ups instead of joins: nothing else is fast while the planner knows nothing of the table. */
const price = statement({
  name: "price-usage",
  takes: { ids: listOf(t.text) },
  gives: {
    source: t.text,
    source_id: t.text,
    user_id: t.text,
    agent_id: t.text,
    cost: t.text,
    prepaid: t.boolean,
  },
  text: sql`
    UPDATE usage_records u SET booked_at = now(),
      cost_micro_usd = cost_micro_usd + coalesce(${ofPlan("second_micro_usd")}, 0) * duration_ms / 1000
    WHERE id = ANY($ids) AND booked_at IS NULL
    RETURNING source, source_id, user_id, agent_id, cost_micro_usd::text AS cost, coalesce(${ofPlan("prepaid")}, false) AS prepaid`,
});

const costsColumns = { costs: t.json<{ user_id: string; cost: string; runs: number }[]>() };
const used = sql`
  used AS (
    SELECT user_id, sum(runs)::int AS runs, sum(cost)::bigint AS cost
    FROM json_to_recordset($costs) AS t (user_id text, cost bigint, runs int) GROUP BY user_id
  )`;

const countInWeek = statement({
  name: "count-usage-in-week",
  takes: costsColumns,
  text: sql`
    WITH ${used}
    UPDATE billing_accounts a SET week_started_at = ${weekStart},
      week_runs = used.runs + CASE WHEN ${isWeekOver} THEN 0 ELSE week_runs END,
      week_micro_usd = used.cost + CASE WHEN ${isWeekOver} THEN 0 ELSE week_micro_usd END
    FROM used WHERE a.user_id = used.user_id`,
});

/** Days, weeks (from Monday) and months of UTC. */
const countInLimits = statement({
  name: "count-usage-in-limits",
  takes: costsColumns,
  text: sql`
    WITH ${used}
    UPDATE spend_limits l SET period_started_at = date_trunc(l.period::text, now(), 'UTC'),
      spent_micro_usd = used.cost
        + CASE WHEN l.period_started_at = date_trunc(l.period::text, now(), 'UTC') THEN l.spent_micro_usd ELSE 0 END
    FROM used WHERE l.user_id = used.user_id`,
});

const markReached = statement({
  name: "mark-reached-limits",
  takes: { user_ids: listOf(t.text) },
  gives: { user_id: t.text, period: t.text },
  text: sql`
    UPDATE spend_limits SET notified_for = period_started_at
    WHERE user_id = ANY($user_ids) AND spent_micro_usd >= amount_micro_usd AND period_started_at IS NOT NULL
      AND notified_for IS DISTINCT FROM period_started_at
    RETURNING user_id, period::text`,
});
