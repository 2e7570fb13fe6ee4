import type { Amount } from "../../domain/price/amount.ts";
import type { Db } from "../client.ts";
import { t } from "../columns.ts";
import { inTransaction } from "../in-transaction.ts";
import { parameterRows } from "../parameter-rows.ts";
import { type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A budget that runs share. `subject`: the id of a tree's first run, of a thread or of an agent. Caps: Infinity for none. */
export type SharedBudget = {
  kind: "tree" | "thread" | "agent_day";
  subject: string;
  tokens: number;
  micro_usd: number;
};

type CallName = { run_id: string; attempt: number; call: number };

const input = parameterRows({ kind: t.text, subject: t.text, most_tokens: t.double, most_micro_usd: t.double });
const rowsOf = (budgets: readonly SharedBudget[]) =>
  input.listsOf(
    budgets.map(({ kind, subject, tokens, micro_usd }) => ({
      ...{ kind, subject, most_tokens: tokens, most_micro_usd: micro_usd },
    })),
  );

/** SQL: the CTE `named`: the budgets of `input`, in one order for whoever locks them. Each day of an agent's is one of its own. */
const named: Sql = sql`named AS (
      SELECT kind, most_tokens, most_micro_usd, subject || CASE kind
        WHEN 'agent_day' THEN to_char(now() AT TIME ZONE 'UTC', ' YYYY-MM-DD') ELSE '' END AS subject
      FROM input ORDER BY 1, 4
    )`;

/** SQL: what counts in a budget, as `used`: what was spent and what is reserved. */
const used: Sql = sql`
    LEFT JOIN call_budgets AS budget USING (kind, subject) LEFT JOIN LATERAL (
      SELECT coalesce(budget.tokens, 0) + coalesce(sum(tokens), 0) AS tokens,
        coalesce(budget.micro_usd, 0) + coalesce(sum(micro_usd), 0) AS micro_usd,
        bool_or(NOT settled AND run_id <> $run_id AND created_at > clock_timestamp() - interval '10 minutes') AS is_held
      FROM call_reservations AS held WHERE held.kind = named.kind AND held.subject = named.subject
    ) AS used ON true`;

export type SharedRoom = Amount & { kind: SharedBudget["kind"]; is_held: boolean };

/**
 * Returns what is left of each budget. `is_held`: calls of other runs are under way that may give something back; one that nobody has
 * ended for ten minutes won't.
 */
export const readSharedRoom = (db: Db, run_id: string, budgets: readonly SharedBudget[]): Promise<SharedRoom[]> =>
  read.rows(db.sql, { run_id, ...rowsOf(budgets) });

const read = statement({
  name: "read-shared-budgets",
  takes: { run_id: t.text, ...input.takes },
  gives: {
    kind: t.word<SharedBudget["kind"]>(),
    tokens: t.double,
    micro_usd: t.double,
    is_held: t.boolean,
  },
  text: sql`
    WITH ${input.cte}, ${named}
    SELECT named.kind, most_tokens - used.tokens::double precision AS tokens,
      most_micro_usd - used.micro_usd::double precision AS micro_usd, coalesce(used.is_held, false) AS is_held
    FROM named ${used}`,
});

/**
 * Reserves what a call may cost in all of these budgets. Returns false, and reserves nothing, when one of them has not enough left.
 * `insertCall` settles it.
 */
export async function reserveShared(
  db: Db,
  call: CallName,
  budgets: readonly SharedBudget[],
  { tokens, micro_usd }: Amount,
): Promise<boolean> {
  const rows = rowsOf(budgets);
  return inTransaction(db, async (client) => {
    await lock.count(client, rows);
    await fold.count(client, rows);
    const amount = { tokens: Math.ceil(tokens), micro_usd: Math.ceil(micro_usd) };
    return (await reserve.count(client, { ...call, ...amount, ...rows })) > 0;
  });
}

/** Whoever reserves after this sees what was reserved before. */
const lock = statement({
  name: "lock-shared-budgets",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}, ${named}
    INSERT INTO call_budgets (kind, subject) SELECT kind, subject FROM named ORDER BY 1, 2
    ON CONFLICT (kind, subject) DO UPDATE SET touched_at = clock_timestamp()`,
});

/** Adds up what was settled, so that few rows are read the next time. */
const fold = statement({
  name: "fold-shared-budgets",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}, ${named}, gone AS (
      DELETE FROM call_reservations AS held USING named
      WHERE held.kind = named.kind AND held.subject = named.subject AND held.settled
      RETURNING held.kind, held.subject, held.tokens, held.micro_usd
    )
    UPDATE call_budgets AS budget SET tokens = budget.tokens + spent.tokens, micro_usd = budget.micro_usd + spent.micro_usd
    FROM (
      SELECT kind, subject, sum(tokens)::bigint AS tokens, sum(micro_usd)::bigint AS micro_usd FROM gone GROUP BY 1, 2
    ) AS spent
    WHERE budget.kind = spent.kind AND budget.subject = spent.subject`,
});

const reserve = statement({
  name: "reserve-in-shared-budgets",
  takes: {
    run_id: t.text,
    attempt: t.integer,
    call: t.integer,
    tokens: t.double,
    micro_usd: t.double,
    ...input.takes,
  },
  text: sql`
    WITH ${input.cte}, ${named}
    INSERT INTO call_reservations (run_id, attempt, call, kind, subject, tokens, micro_usd)
    SELECT $run_id, $attempt, $call, kind, subject, $tokens::bigint, $micro_usd::bigint FROM named
    WHERE NOT EXISTS (
      SELECT 1 FROM named ${used}
      WHERE used.tokens + $tokens > most_tokens OR used.micro_usd + $micro_usd > most_micro_usd)`,
});

/** SQL of two CTEs: what the calls in `input` were reserved is what they have cost. What wasn't told stays as it was reserved. */
export const settleReservations: Sql = sql`costs AS (
      SELECT run_id, attempt, call, is_untold, (input_tokens + output_tokens)::bigint AS tokens,
        ceil(coalesce(cost_micro_usd, 0))::bigint AS micro_usd
      FROM input
    ), settled AS (
      UPDATE call_reservations AS held SET settled = true,
        tokens = CASE WHEN is_untold THEN held.tokens ELSE costs.tokens END,
        micro_usd = CASE WHEN is_untold THEN held.micro_usd ELSE costs.micro_usd END
      FROM costs
      WHERE held.run_id = costs.run_id AND held.attempt = costs.attempt AND held.call = costs.call AND NOT held.settled
    )`;

/** Returns the budgets of the trees that a run is in, as the agents of its ancestors say. */
export async function readTreeBudgets(db: Db, run_id: string): Promise<SharedBudget[]> {
  const rows = await readTrees.rows(db.sql, { run_id });
  return rows.map(({ subject, tokens, micro_usd }) => ({ kind: "tree", subject, tokens, micro_usd }));
}

const readTrees = statement({
  name: "read-tree-budgets",
  takes: { run_id: t.text },
  gives: { subject: t.text, tokens: t.double, micro_usd: t.double },
  text: sql`
    WITH RECURSIVE line AS (
      SELECT id, parent_run_id, agent_id, version, 0 AS up FROM runs WHERE id = $run_id
      UNION ALL
      SELECT parent.id, parent.parent_run_id, parent.agent_id, parent.version, line.up + 1
      FROM line JOIN runs AS parent ON parent.id = line.parent_run_id WHERE line.up < 100
    ), caps AS (
      SELECT line.id, version.config #> '{budget,tree}' AS cap FROM line
        JOIN agent_versions AS version ON version.agent_id = line.agent_id AND version.version = line.version
    ), numbers AS (
      SELECT id, CASE WHEN json_typeof(cap->'tokens') = 'number' THEN (cap->>'tokens')::double precision END AS tokens,
        CASE WHEN json_typeof(cap->'usd') = 'number' THEN (cap->>'usd')::double precision END AS usd
      FROM caps
    )
    SELECT id AS subject, coalesce(tokens, 'infinity') AS tokens, coalesce(usd * 1000000, 'infinity') AS micro_usd
    FROM numbers WHERE tokens IS NOT NULL OR usd IS NOT NULL`,
});
