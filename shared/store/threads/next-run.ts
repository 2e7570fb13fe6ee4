import type { Batch } from "../batch.ts";
import type { Db } from "../client.ts";
import { orNull, type Row, t } from "../columns.ts";
import { parameterRows } from "../parameter-rows.ts";
import type { Owner } from "../owned-by.ts";
import { type Sql, sql } from "../sql.ts";
import { statement } from "../statement.ts";

/** A run's place in its thread: by when it was accepted or, if it was delayed, by when it was due. Postgres' text of the time. */
export type RunPlace = { at: string; id: string };

/** `since`: when the thread was made. Runs of an earlier thread with the same id are not the thread's. */
export type ThreadView = { thread_id: string; owner: Owner; since: Date };

const input = parameterRows({
  nth: t.integer,
  thread_id: t.text,
  owner: orNull(t.text),
  since: t.timestamptz,
  at: orNull(t.text),
  id: orNull(t.text),
});
type NextRunQuery = Row<{ thread_id: typeof t.text }> & {
  owner: Owner;
  since: Date;
  at: string | null;
  id: string | null;
};

/**
 * Returns the run that follows a place in a thread; null when there is none yet. A delayed run is there once it is due, also
 * when it was cancelled before: a place in the future would hide the runs that begin until then. Runs are inserted under the
 * lock of their thread, so no run appears before one that was returned. Readers who ask at the same time share a statement.
 */
export function nextRunOfThread(db: Db, view: ThreadView, place: RunPlace | null): Promise<RunPlace | null> {
  return db.inBatches(nextRuns, { ...view, at: place?.at ?? null, id: place?.id ?? null });
}

const nextRuns: Batch<NextRunQuery, RunPlace | null> = {
  most: 256,
  async act(client, asked) {
    const rows = await next.rows(client, input.listsOf(asked.map((one, nth) => ({ ...one, nth }))));
    const byNth = new Map(rows.map(({ nth, ...place }) => [nth, place]));
    return asked.map((_, nth) => byNth.get(nth) ?? null);
  },
};

/** One half for each index: the runs that were queued at once, and those that were delayed. */
const half = (at: Sql, where: Sql): Sql => sql`
  (SELECT ${at} AS at, id FROM runs
    WHERE runs.thread_id = input.thread_id AND (input.owner IS NULL OR runs.user_id = input.owner)
      AND runs.created_at >= input.since AND ${where}
      AND (input.id IS NULL OR (${at}, runs.id) > (input.at::timestamptz, input.id))
    ORDER BY ${at}, runs.id LIMIT 1)`;

const next = statement({
  name: "next-run-of-thread",
  takes: input.takes,
  gives: { nth: t.integer, at: t.text, id: t.text },
  text: sql`
    WITH ${input.cte}
    SELECT nth, next.at::text AS at, next.id FROM input CROSS JOIN LATERAL (
      SELECT at, id FROM (
        ${half(sql`runs.created_at`, sql`runs.due_at IS NULL`)}
        UNION ALL
        ${half(sql`runs.due_at`, sql`runs.due_at <= now()`)}
      ) AS found ORDER BY at, id LIMIT 1
    ) AS next`,
});

/** Returns the place of a run of the thread; null when the thread has no such run. */
export async function placeOfRun(db: Db, { thread_id, owner }: ThreadView, id: string): Promise<RunPlace | null> {
  return place.first(db.sql, { thread_id, owner, id });
}

const place = statement({
  name: "place-of-run",
  takes: { thread_id: t.text, owner: orNull(t.text), id: t.text },
  gives: { at: t.text, id: t.text },
  text: sql`
    SELECT coalesce(due_at, created_at)::text AS at, id FROM runs
    WHERE id = $id AND thread_id = $thread_id AND ($owner IS NULL OR user_id = $owner)`,
});
