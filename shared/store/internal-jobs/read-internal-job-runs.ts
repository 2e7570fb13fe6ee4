import { jobTurn, type JobTurn } from "../../schemas/internal-job.ts";
import type { Db } from "../client.ts";
import { listOf, orNull, type Row, t } from "../columns.ts";
import { joined, raw, sql } from "../sql.ts";
import { statement } from "../statement.ts";

const turn = {
  id: t.text,
  name: t.text,
  status: t.enumeration<JobTurn["status"]>("internal_job_status"),
  triggered_by: t.text,
  dry_run: t.boolean,
  result: orNull(t.json()),
  error: orNull(t.text),
  started_at: t.timestamptz,
  finished_at: orNull(t.timestamptz),
};

const toTurn = ({
  id,
  name,
  status,
  triggered_by,
  dry_run,
  result,
  error,
  started_at,
  finished_at,
}: Row<typeof turn>): JobTurn => ({
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
  const rows = await last.rows(db.sql, { names });
  return new Map(rows.map((row) => [row.name, toTurn(row)]));
}

const last = statement({
  name: "read-last-turns",
  takes: { names: listOf(t.text) },
  gives: turn,
  text: sql`
    SELECT ${joined(
      Object.keys(turn).map((name) => raw(`last.${name}`)),
      ", ",
    )} FROM unnest($names) AS job (name), LATERAL (
      SELECT * FROM internal_job_runs r WHERE r.name = job.name ORDER BY started_at DESC, id DESC LIMIT 1) last`,
});
