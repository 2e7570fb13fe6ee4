import type { Queryable } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";
import { runIs } from "../runs/run-is.ts";

/** Returns how many runs of a job have not ended, at most `most`, and the id of one of them. */
export async function countOpenRuns(
  client: Queryable,
  job_id: string,
  most: number,
): Promise<{ open: number; one: string | null }> {
  return (await count.first(client, { job_id, most })) ?? { open: 0, one: null };
}

const count = statement({
  name: "count-open-runs-of-job",
  takes: { job_id: t.text, most: t.integer },
  gives: { open: t.integer, one: orNull(t.text) },
  text: sql`
    SELECT count(*)::int AS open, min(id) AS one
    FROM (SELECT id FROM runs WHERE job_id = $job_id AND ${runIs.open()} LIMIT $most) AS open`,
});

/**
 * Asks for the end of all runs of a job but for `except`. One statement: once it is committed each of them ends, whatever happens
 * to this process. `by`: who wants it; null: the service itself. Returns their ids.
 */
export async function askToCancelJob(
  client: Queryable,
  job_id: string,
  { except, by }: { except: string | null; by: string | null },
): Promise<string[]> {
  return (await ask.rows(client, { job_id, except, by })).map(({ id }) => id);
}

/** The rows are locked in an order, as where runs below a run are cancelled. */
const ask = statement({
  name: "ask-to-cancel-runs-of-job",
  takes: { job_id: t.text, except: orNull(t.text), by: orNull(t.text) },
  gives: { id: t.text },
  text: sql`
    WITH open AS (
      SELECT id FROM runs WHERE job_id = $job_id AND ${runIs.open()} AND id IS DISTINCT FROM $except ORDER BY id FOR UPDATE
    )
    UPDATE runs SET cancel_requested_at = coalesce(cancel_requested_at, now()),
      cancel_requested_by = CASE WHEN cancel_requested_at IS NULL THEN $by ELSE cancel_requested_by END
    FROM open WHERE runs.id = open.id
    RETURNING runs.id`,
});
