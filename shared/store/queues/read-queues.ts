import type { QueueState } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { raw, type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";

/** The queues as Postgres knows them. */
export async function readQueues(db: Db): Promise<Omit<QueueState, "nudges">[]> {
  const rows = await read.rows(db.sql);
  return rows.map(({ paused_at, ...row }) => ({
    ...row,
    paused: paused_at !== null,
    paused_at: paused_at?.toISOString() ?? null,
  }));
}

const age = (time: string): Sql => sql`greatest(0, extract(epoch FROM now() - min(${raw(time)})) * 1000)::float8`;

const read = statement({
  name: "read-queues",
  gives: {
    name: t.word<QueueState["name"]>(),
    waiting: t.integer,
    active: t.integer,
    oldest_ms: orNull(t.double),
    dead: t.integer,
    paused_by: orNull(t.text),
    paused_at: orNull(t.timestamptz),
  },
  text: sql`
    SELECT state.name, waiting, active, oldest_ms, dead, paused_by, paused_at FROM (
      SELECT 1 AS nth, 'runs' AS name, count(*)::int AS waiting, round(${age("created_at")}) AS oldest_ms,
        (SELECT count(*)::int FROM runs WHERE ${runIs.running()}) AS active, 0 AS dead
      FROM runs WHERE ${runIs.queued()}
      UNION ALL
      SELECT 2, 'callbacks', count(*)::int, round(${age("next_attempt_at")}),
        (count(*) FILTER (WHERE lease_until > now()))::int,
        (SELECT count(*)::int FROM outbox WHERE status = 'exhausted')
      FROM outbox WHERE status = 'pending'
    ) AS state LEFT JOIN queue_pauses ON queue_pauses.name = state.name ORDER BY nth`,
});
