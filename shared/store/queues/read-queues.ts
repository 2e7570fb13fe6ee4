import type { QueueState } from "../../schemas/admin.ts";
import type { Db } from "../client.ts";

type Row = Omit<QueueState, "nudges" | "paused" | "paused_at"> & { paused_at: Date | null };

/** The queues as Postgres knows them. */
export async function readQueues(db: Db): Promise<Omit<QueueState, "nudges">[]> {
  const { rows } = await db.sql.query<Row>(statement);
  return rows.map(({ paused_at, ...row }) => ({
    ...row,
    paused: paused_at !== null,
    paused_at: paused_at?.toISOString() ?? null,
  }));
}

const age = (time: string) => `greatest(0, extract(epoch FROM now() - min(${time})) * 1000)::float8`;

const statement = {
  name: "read-queues",
  text: `
    SELECT state.name, waiting, active, oldest_ms, dead, paused_by, paused_at FROM (
      SELECT 1 AS place, 'runs' AS name, count(*)::int AS waiting, round(${age("created_at")}) AS oldest_ms,
        (SELECT count(*)::int FROM runs WHERE status = 'running') AS active, 0 AS dead
      FROM runs WHERE status = 'queued'
      UNION ALL
      SELECT 2, 'callbacks', count(*)::int, round(${age("next_attempt_at")}),
        (count(*) FILTER (WHERE lease_until > now()))::int,
        (SELECT count(*)::int FROM outbox WHERE status = 'exhausted')
      FROM outbox WHERE status = 'pending'
    ) AS state LEFT JOIN queue_pauses ON queue_pauses.name = state.name ORDER BY place`,
};
