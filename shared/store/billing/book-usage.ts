import type { Db } from "../client.ts";
import { notify } from "../notifications/notify.ts";
import { bookTransfers } from "./book-transfers.ts";
import { ensureAccounts } from "./ensure-accounts.ts";
import { inBillingTransaction } from "./in-billing-transaction.ts";
import { isWeekOver, weekStart } from "./week.ts";

type Booked = { run_id: string; user_id: string; agent_id: string; cost: string; prepaid: boolean };

const batch = 500;

/** Books the usage that waits for it. */
export async function bookAllUsage(db: Db): Promise<void> {
  while ((await bookUsage(db)) === batch);
}

/**
 * Prices a batch of usage records and counts them: in the week and the spend limits of their users, and out of the
 * wallet of who pays each run. Each record once, since that is one transaction. Gives how many there were.
 */
function bookUsage(db: Db): Promise<number> {
  return inBillingTransaction(db, async (client) => {
    const due = await client.query<{ id: string }>("SELECT id FROM usage_records WHERE booked_at IS NULL LIMIT $1", [
      batch,
    ]);
    const { rows } = await client.query<Booked>({ ...price, values: [due.rows.map(({ id }) => id)] });
    if (rows.length === 0) return 0;
    await ensureAccounts(
      client,
      rows.map(({ user_id }) => user_id),
    );
    const sums = JSON.stringify(rows.map(({ user_id, cost }) => ({ user_id, cost })));
    await client.query({ ...countInWeek, values: [sums] });
    await client.query({ ...countInLimits, values: [sums] });
    const paid = rows.filter(({ prepaid, cost }) => prepaid && cost !== "0");
    await bookTransfers(
      client,
      paid.map(({ run_id, user_id, agent_id, cost }) => ({
        user_id,
        against: "revenue",
        amount_micro_usd: -Number(cost),
        source: "usage",
        source_id: run_id,
        type: "usage",
        description: `A run of ${agent_id}`,
      })),
    );
    const reached = await client.query<{ user_id: string; period: string; since: Date }>(tellOfLimits, [
      rows.map(({ user_id }) => user_id),
    ]);
    for (const { user_id, period, since } of reached.rows) {
      const title = `The spend limit of this ${period} is reached`;
      const dedup_key = `spend-limit:${period}:${since.toISOString()}`;
      await notify(client, {
        user_id,
        type: "billing.spend_limit",
        level: "warning",
        title,
        body: null,
        agent_id: null,
        run_id: null,
        data: { period },
        dedup_key,
      });
    }
    return rows.length;
  });
}

/** In a transcript's chunk, [[seq, type, data], …], only a type stands between these: in `data` each quote is escaped. */
const toolType = `,"tool.start",`;
const countTools = `
  SELECT sum((length(events::text) - length(replace(events::text, '${toolType}', ''))) / ${toolType.length})
  FROM transcript_chunks WHERE transcript_chunks.run_id = u.run_id`;

/** The plan of a user who has none is the one named `default`, where there is one. */
const ofPlan = (column: string) => `(
  SELECT ${column} FROM plans WHERE id = coalesce((SELECT plan_id FROM billing_accounts a WHERE a.user_id = u.user_id), 'default'))`;

/** By their ids, and with look-ups instead of joins: nothing else is fast while the planner knows nothing of the table. */
const price = {
  name: "price-usage",
  text: `
    UPDATE usage_records u SET booked_at = now(), tool_calls = coalesce((${countTools}), 0),
      cost_micro_usd = cost_micro_usd + coalesce(${ofPlan("second_micro_usd")}, 0) * duration_ms / 1000
    WHERE id = ANY($1) AND booked_at IS NULL
    RETURNING run_id, user_id, agent_id, cost_micro_usd::text AS cost, coalesce(${ofPlan("prepaid")}, false) AS prepaid`,
};

const used = `
  used AS (
    SELECT user_id, count(*)::int AS runs, sum(cost)::bigint AS cost
    FROM json_to_recordset($1::json) AS t (user_id text, cost bigint) GROUP BY user_id
  )`;

const countInWeek = {
  name: "count-usage-in-week",
  text: `
    WITH ${used}
    UPDATE billing_accounts a SET week_started_at = ${weekStart},
      week_runs = used.runs + CASE WHEN ${isWeekOver} THEN 0 ELSE week_runs END,
      week_micro_usd = used.cost + CASE WHEN ${isWeekOver} THEN 0 ELSE week_micro_usd END
    FROM used WHERE a.user_id = used.user_id`,
};

/** Days, weeks (from Monday) and months of UTC. */
const countInLimits = {
  name: "count-usage-in-limits",
  text: `
    WITH ${used}
    UPDATE spend_limits l SET period_started_at = date_trunc(l.period::text, now(), 'UTC'),
      spent_micro_usd = used.cost
        + CASE WHEN l.period_started_at = date_trunc(l.period::text, now(), 'UTC') THEN l.spent_micro_usd ELSE 0 END
    FROM used WHERE l.user_id = used.user_id`,
};

const tellOfLimits = `
  UPDATE spend_limits SET notified_for = period_started_at
  WHERE user_id = ANY($1) AND spent_micro_usd >= amount_micro_usd AND period_started_at IS NOT NULL
    AND notified_for IS DISTINCT FROM period_started_at
  RETURNING user_id, period::text, period_started_at AS since`;
