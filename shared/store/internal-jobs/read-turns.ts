import { jobTurn, type JobTurn } from "../../schemas/internal-job.ts";
import type { Db } from "../client.ts";

type Row = {
  id: string;
  name: string;
  status: JobTurn["status"];
  triggered_by: string;
  dry_run: boolean;
  result: unknown;
  error: string | null;
  started_at: Date;
  finished_at: Date | null;
};

const toTurn = ({ id, name, status, triggered_by, dry_run, result, error, started_at, finished_at }: Row): JobTurn => ({
  id,
  name,
  status,
  triggered_by,
  dry_run,
  result: jobTurn.shape.result.parse(result),
  error,
  started_at: started_at.toISOString(),
  finished_at: finished_at?.toISOString() ?? null,
  duration_ms: finished_at && finished_at.getTime() - started_at.getTime(),
});

export async function readTurn(db: Db, id: string): Promise<JobTurn> {
  return toTurn(await db.prisma.internalJobRun.findUniqueOrThrow({ where: { id } }));
}

/** The last turn of each job that ever ran. */
export async function readLastTurns(db: Db, names: string[]): Promise<Map<string, JobTurn>> {
  const { rows } = await db.sql.query<Row>(
    `SELECT last.* FROM unnest($1::text[]) AS job (name), LATERAL (
       SELECT * FROM internal_job_runs r WHERE r.name = job.name ORDER BY started_at DESC, id DESC LIMIT 1) last`,
    [names],
  );
  return new Map(rows.map((row) => [row.name, toTurn(row)]));
}
