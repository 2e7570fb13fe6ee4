import type { Db } from "../client.ts";
import { listOf, orNull, t } from "../columns.ts";
import { sql } from "../sql.ts";
import { statement } from "../statement.ts";

/**
 * `jobs`: since when each has not succeeded, and whether its last turn failed. A job that never succeeded counts from its
 * first turn. `duties`: for how long no worker has taken each.
 */
export type MaintenanceAge = {
  jobs: { name: string; age_ms: number | null; failed: boolean }[];
  duties: { name: string; age_ms: number }[];
};

export async function readMaintenance(db: Db, names: string[]): Promise<MaintenanceAge> {
  const [jobs, duties] = await Promise.all([readJobs.rows(db.sql, { names }), readDuties.rows(db.sql)]);
  return { jobs, duties };
}

const readJobs = statement({
  name: "read-job-ages",
  takes: { names: listOf(t.text) },
  gives: { name: t.text, age_ms: orNull(t.double), failed: t.boolean },
  text: sql`
    SELECT job.name, greatest(0, extract(epoch FROM now() - coalesce(done.finished_at, first.started_at)) * 1000)::float8 AS age_ms,
      coalesce(last.status = 'error', false) AS failed
    FROM unnest($names) AS job (name)
      LEFT JOIN LATERAL (SELECT finished_at FROM internal_job_runs r WHERE r.name = job.name AND r.status = 'success'
        AND NOT r.dry_run ORDER BY started_at DESC LIMIT 1) done ON true
      LEFT JOIN LATERAL (SELECT started_at FROM internal_job_runs r WHERE r.name = job.name ORDER BY started_at LIMIT 1) first ON true
      LEFT JOIN LATERAL (SELECT status FROM internal_job_runs r WHERE r.name = job.name AND r.status <> 'running'
        ORDER BY started_at DESC LIMIT 1) last ON true`,
});

const readDuties = statement({
  name: "read-duty-ages",
  gives: { name: t.text, age_ms: t.double },
  text: sql`
    SELECT name, greatest(0, extract(epoch FROM now() - taken_at) * 1000)::float8 AS age_ms FROM fleet_duties
    WHERE taken_at > now() - interval '1 day' ORDER BY name`,
});
