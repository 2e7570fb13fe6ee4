import type { JobRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import type { Owner } from "../owned-by.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

const columns = {
  id: t.text,
  user_id: t.text,
  agent_id: t.text,
  thread_id: orNull(t.text),
  schedule: orNull(t.text),
  timezone: t.text,
  status: t.enumeration<JobRecord["status"]>("job_status"),
  ends_at: orNull(t.timestamptz),
  next_tick_at: orNull(t.timestamptz),
  metadata: t.json<Record<string, unknown>>(),
  input_payload: orNull(t.json<Record<string, unknown>>()),
  created_at: t.timestamptz,
  updated_at: t.timestamptz,
};

/** A job without its env_vars and files. A large input is left out. */
export type CronRow = Row<typeof columns>;

/** Reads the owner's jobs of these ids, in their order. An input of more than `bytes` is left out. */
export async function readCrons(db: Db, ids: readonly string[], owner: Owner, bytes: number): Promise<CronRow[]> {
  return read.rows(db.sql, { ids, owner, bytes });
}

const read = statement({
  name: "read-crons",
  takes: { ids: listOf(t.text), owner: orNull(t.text), bytes: t.double },
  gives: columns,
  text: sql`
    SELECT j.id, j.user_id, j.agent_id, j.run_options->>'thread_id' AS thread_id, j.schedule, j.timezone, j.status,
      j.ends_at, j.next_tick_at, j.metadata,
      CASE WHEN octet_length(j.input_payload::text) <= $bytes THEN j.input_payload END AS input_payload,
      j.created_at, j.updated_at
    FROM unnest($ids) WITH ORDINALITY AS asked (id, at) JOIN jobs j ON j.id = asked.id
    WHERE $owner IS NULL OR j.user_id = $owner ORDER BY asked.at`,
});

export const cronSorts = ["cron_id", "assistant_id", "thread_id", "created_at", "updated_at", "next_run_date"] as const;

export type CronSearch = {
  agent_id: string | null;
  thread_id: string | null;
  enabled: boolean | null;
};

export type CronOrder = { sort_by: (typeof cronSorts)[number]; descending: boolean; limit: number; offset: number };

/**
 * Returns the ids of a page of jobs that go on, and how many there are in all. A job for a single run is no cron. A search
 * looks at 10,000 jobs at most, the newest ones.
 */
export async function searchCrons(
  db: Db,
  owner: Owner,
  search: CronSearch,
  { limit, offset, sort_by, descending }: CronOrder,
): Promise<{ ids: string[]; total: number }> {
  const rows = await find.rows(db.sql, { owner, ...search, sort_by });
  const ids = rows.map(({ id }) => id);
  const ordered = descending ? ids.toReversed() : ids;
  return { ids: ordered.slice(offset, offset + limit), total: ids.length };
}

const find = statement({
  name: "search-crons",
  takes: {
    owner: orNull(t.text),
    agent_id: orNull(t.text),
    thread_id: orNull(t.text),
    enabled: orNull(t.boolean),
    sort_by: t.text,
  },
  gives: { id: t.text },
  text: sql`
    SELECT id FROM (
      SELECT id, agent_id, run_options->>'thread_id' AS thread_id, created_at, updated_at, next_tick_at FROM jobs
      WHERE ($owner IS NULL OR user_id = $owner) AND ($agent_id IS NULL OR agent_id = $agent_id)
        AND ($thread_id IS NULL OR run_options->>'thread_id' = $thread_id)
        AND schedule IS NOT NULL AND status IN ('active', 'paused') AND ($enabled IS NULL OR (status = 'active') = $enabled)
      ORDER BY jobs.created_at DESC, jobs.id DESC LIMIT 10000) AS newest
    ORDER BY
      CASE $sort_by WHEN 'cron_id' THEN id WHEN 'assistant_id' THEN agent_id WHEN 'thread_id' THEN thread_id END,
      CASE $sort_by WHEN 'updated_at' THEN updated_at WHEN 'next_run_date' THEN next_tick_at ELSE created_at END, id`,
});
