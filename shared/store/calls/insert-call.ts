import type { Batch } from "../batch.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import { perRow, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIsStill } from "../runs/run-is.ts";
import { settleReservations } from "./shared-budgets.ts";

const given = {
  id: t.text,
  run_id: t.text,
  attempt: t.integer,
  call: t.integer,
  connection: t.text,
  method: t.text,
  host: t.text,
  path: t.text,
  status: orNull(t.integer),
  model: orNull(t.text),
  /** How its tokens are known: `metered`, `estimated`, `unknown`; null: there are none. */
  counted: orNull(t.text),
  /** What was reserved for it in shared budgets stays reserved. */
  is_untold: t.boolean,
  input_tokens: t.double,
  cached_tokens: t.double,
  output_tokens: t.double,
  /** Null: the price isn't known, or nothing was counted. */
  cost_micro_usd: orNull(t.double),
  request_bytes: t.double,
  response_bytes: t.double,
  duration_ms: t.integer,
  recorded: t.boolean,
  /** What it was noted as while it was under way; null: it wasn't, or its answer is still to be committed. */
  open_key: orNull(t.text),
};
export type NewCall = Row<typeof given>;

/**
 * Writes a call that has ended, what it counts for in shared budgets, and that nobody reads its answer any more. What a call has cost that
 * outlived its run is metered apart, since the run's usage is told by then. A repeat changes nothing. Calls that end at the same time are one
 * statement.
 */
export const insertCall = (db: Db, call: NewCall): Promise<void> => db.inBatches(inserts, call);

const input = parameterRows(given);
const inserts: Batch<NewCall, void> = {
  most: 256,
  apart: ({ id }) => id,
  async act(client, calls) {
    await insert.count(client, input.listsOf(calls));
    return calls.map(() => undefined);
  },
};

const insert = statement({
  name: "insert-run-calls",
  takes: input.takes,
  text: sql`
    WITH ${input.cte}, over AS (
      DELETE FROM run_open_calls AS open USING input
      WHERE open.run_id = input.run_id AND open.key = input.open_key AND open.attempt = input.attempt
        AND open.call = input.call
    ), ${settleReservations}, late AS (
      INSERT INTO usage_records (id, user_id, agent_id, version, source, source_id, run_id, plan_id, input_tokens,
        output_tokens, cost_micro_usd)
      SELECT 'usage_' || substr(input.id, 6), run.user_id, run.agent_id, run.version, 'call', input.id, run.id, run.plan_id,
        input_tokens::bigint, output_tokens::bigint, ceil(coalesce(cost_micro_usd, 0))::bigint
      FROM input, LATERAL (
        SELECT runs.id, user_id, agent_id, version, plan_id FROM runs WHERE runs.id = input.run_id AND ${runIsStill.ended()} ${perRow}
      ) AS run
      WHERE input_tokens + output_tokens > 0
        AND NOT EXISTS (SELECT 1 FROM run_calls WHERE run_calls.id = input.id)
      ON CONFLICT (source, source_id) DO NOTHING
    )
    INSERT INTO run_calls (id, run_id, attempt, call, connection, method, host, path, status, model, counted, input_tokens,
      cached_tokens, output_tokens, cost_micro_usd, request_bytes, response_bytes, duration_ms, recorded, created_at)
    SELECT id, run_id, attempt, call, connection, method, host, path, status, model, counted, input_tokens::bigint,
      cached_tokens::bigint, output_tokens::bigint, ceil(cost_micro_usd)::bigint, request_bytes::bigint,
      response_bytes::bigint, duration_ms, recorded, clock_timestamp()
    FROM input WHERE EXISTS (SELECT 1 FROM runs WHERE runs.id = input.run_id)
    ON CONFLICT (id) DO NOTHING`,
});
