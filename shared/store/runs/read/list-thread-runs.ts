import type { RunStatus } from "../../../domain/run/run-status.ts";
import type { Db } from "../../client.ts";
import { listOf, orNull, type Row, t } from "../../columns.ts";
import { sql } from "../../sql.ts";
import { statement } from "../../statement.ts";

const columns = {
  id: t.text,
  thread_id: t.text,
  agent_id: t.text,
  status: t.enumeration<RunStatus>("run_status"),
  metadata: t.json<Record<string, unknown>>(),
  created_at: t.timestamptz,
  updated_at: t.timestamptz,
};

/** A run without its input and result. */
export type ThreadRun = Row<typeof columns>;

type Search = { thread_id: string; since: Date; statuses: readonly RunStatus[] | null; limit: number; offset: number };

/** Returns runs of a thread since it was made, the newest first. `statuses` null: any. */
export async function listThreadRuns(db: Db, search: Search): Promise<ThreadRun[]> {
  return list.rows(db.sql, search);
}

const list = statement({
  name: "list-thread-runs",
  takes: {
    thread_id: t.text,
    since: t.timestamptz,
    statuses: orNull(listOf(t.enumeration<RunStatus>("run_status"))),
    limit: t.integer,
    offset: t.integer,
  },
  gives: columns,
  text: sql`
    SELECT id, thread_id, agent_id, status, metadata, created_at,
      coalesce(completed_at, started_at, created_at) AS updated_at
    FROM runs WHERE thread_id = $thread_id AND created_at >= $since AND ($statuses IS NULL OR status = ANY($statuses))
    ORDER BY created_at DESC, id DESC LIMIT $limit OFFSET $offset`,
});
