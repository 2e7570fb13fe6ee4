import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";
import { orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

export type InternalJobClaim = {
  name: string;
  triggered_by: string;
  dry_run: boolean;
  /** Outlasts any turn: one whose lease ran out is taken for dead. */
  lease_ms: number;
  /** Not sooner than this after the start of its last turn; null: now. */
  every_ms: number | null;
};

/**
 * Begins a turn of an internal job and gives its id; null while another turn is under way, or when it isn't its time. Of
 * any number of callers one gets it: the partial unique index lets one row per name be `running`.
 */
export async function claimInternalJob(db: Db, claim: InternalJobClaim): Promise<string | null> {
  const { name, triggered_by, dry_run, lease_ms, every_ms } = claim;
  await closeLapsed.count(db.sql, { name, error: "Its process was lost." });
  const row = await begin.first(db.sql, { id: newId("turn"), name, triggered_by, dry_run, lease_ms, every_ms });
  return row?.id ?? null;
}

const closeLapsed = statement({
  name: "close-lapsed-job",
  takes: { name: t.text, error: t.text },
  text: sql`
    UPDATE internal_job_runs SET status = 'error', error = $error, finished_at = now()
    WHERE name = $name AND status = 'running' AND lease_until < now()`,
});

const begin = statement({
  name: "begin-internal-job",
  takes: {
    id: t.text,
    name: t.text,
    triggered_by: t.text,
    dry_run: t.boolean,
    lease_ms: t.double,
    every_ms: orNull(t.double),
  },
  gives: { id: t.text },
  text: sql`
    INSERT INTO internal_job_runs (id, name, triggered_by, dry_run, lease_until)
    SELECT $id, $name, $triggered_by, $dry_run, now() + $lease_ms * interval '1 ms'
    WHERE $every_ms IS NULL OR NOT EXISTS (
      SELECT 1 FROM internal_job_runs
      WHERE name = $name AND NOT dry_run AND started_at > now() - $every_ms * interval '1 ms')
    ON CONFLICT (name) WHERE status = 'running' DO NOTHING RETURNING id`,
});
