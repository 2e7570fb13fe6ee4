import type { Db } from "../../client.ts";
import { orNull, type Row, t } from "../../columns.ts";
import { joined, raw, type Sql, sql } from "../../sql.ts";
import { statement } from "../../statement.ts";
import { runIs } from "../run-is.ts";

const openRuns = {
  scheduled: t.integer,
  queued: t.integer,
  running: t.integer,
  interrupted: t.integer,
  suspended: t.integer,
};
export type ActiveRuns = Row<typeof openRuns>;

/** Of an agent, of a user, or of all; `since` and `until`: when they were made. */
type RunScope = { agent_id?: string; user_id?: string | null; since?: Date; until?: Date };

/** How many runs have not ended now. */
export async function countActiveRuns(db: Db, { agent_id, user_id, since, until }: RunScope): Promise<ActiveRuns> {
  const row = await open.first(db.sql, {
    agent_id: agent_id ?? null,
    user_id: user_id ?? null,
    since: since ?? null,
    until: until ?? null,
  });
  return row ?? { scheduled: 0, queued: 0, running: 0, interrupted: 0, suspended: 0 };
}

/** There may be a million, so that each reader has an index of its own. */
const suspendedOf = (whose: Sql): Sql => sql`(
  SELECT count(*) FROM runs WHERE ${runIs.suspended()} ${whose}
    AND ($since IS NULL OR created_at >= $since) AND ($until IS NULL OR created_at < $until))`;

const count = (status: Exclude<keyof ActiveRuns, "suspended">): Sql =>
  sql`(count(*) FILTER (WHERE ${runIs[status]("open")}))::int AS ${raw(status)}`;

// Each half has a small index of its own.
const open = statement({
  name: "count-open-runs",
  takes: {
    agent_id: orNull(t.text),
    user_id: orNull(t.text),
    since: orNull(t.timestamptz),
    until: orNull(t.timestamptz),
  },
  gives: openRuns,
  text: sql`
    SELECT ${joined([count("scheduled"), count("queued"), count("running"), count("interrupted")], ", ")},
      (CASE WHEN $agent_id IS NOT NULL THEN ${suspendedOf(sql`AND agent_id = $agent_id AND ($user_id IS NULL OR user_id = $user_id)`)}
        WHEN $user_id IS NOT NULL THEN ${suspendedOf(sql`AND user_id = $user_id`)} ELSE ${suspendedOf(sql``)} END)::int AS suspended
    FROM (
      SELECT status, agent_id, user_id, created_at FROM runs WHERE ${runIs.waiting()}
      UNION ALL SELECT status, agent_id, user_id, created_at FROM runs WHERE ${runIs.running()}
    ) AS open
    WHERE ($agent_id IS NULL OR agent_id = $agent_id) AND ($user_id IS NULL OR user_id = $user_id)
      AND ($since IS NULL OR created_at >= $since) AND ($until IS NULL OR created_at < $until)`,
});

/** Runs of an agent that have not ended and that nobody cancels yet, at most `limit`. */
export async function findActiveRuns(db: Db, agent_id: string, limit: number): Promise<string[]> {
  const rows = await openOfAgent.rows(db.sql, { agent_id, limit });
  return rows.map((row) => row.id);
}

const openOfAgent = statement({
  name: "find-open-runs",
  takes: { agent_id: t.text, limit: t.integer },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM runs WHERE agent_id = $agent_id AND cancel_requested_at IS NULL AND ${runIs.open()} LIMIT $limit`,
});
