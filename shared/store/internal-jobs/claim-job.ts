import { newId } from "../../platform/ids.ts";
import type { Db } from "../client.ts";

export type JobClaim = {
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
export async function claimJob(db: Db, claim: JobClaim): Promise<string | null> {
  const { name, triggered_by, dry_run, lease_ms, every_ms } = claim;
  await db.sql.query({ ...closeLapsed, values: [name] });
  const values = [newId("turn"), name, triggered_by, dry_run, lease_ms, every_ms];
  const { rows } = await db.sql.query<{ id: string }>({ ...begin, values });
  return rows[0]?.id ?? null;
}

const closeLapsed = {
  name: "close-lapsed-job",
  text: `
    UPDATE internal_job_runs SET status = 'error', error = 'Its process was lost.', finished_at = now()
    WHERE name = $1 AND status = 'running' AND lease_until < now()`,
};

const begin = {
  name: "begin-internal-job",
  text: `
    INSERT INTO internal_job_runs (id, name, triggered_by, dry_run, lease_until)
    SELECT $1, $2, $3, $4, now() + $5 * interval '1 ms'
    WHERE $6::int IS NULL OR NOT EXISTS (
      SELECT 1 FROM internal_job_runs
      WHERE name = $2 AND NOT dry_run AND started_at > now() - $6 * interval '1 ms')
    ON CONFLICT (name) WHERE status = 'running' DO NOTHING RETURNING id`,
};
