import type { JobTickRecord } from "../../schemas/job.ts";
import type { Db } from "../client.ts";
import type { JobTick } from "../generated/client.ts";
import type { Page } from "../read-page.ts";

/** `after`: the tick's `id`. */
export type TickPage = { limit: number; after?: string | undefined; order: "asc" | "desc" };

/** A page of a job's ticks, by their times. */
export async function listTicks(
  db: Db,
  jobId: string,
  { limit, after, order }: TickPage,
): Promise<Page<JobTickRecord>> {
  const start = after === undefined ? null : placeOf(after);
  const beyond = order === "asc" ? ">" : "<";
  const { rows } = await db.sql.query<JobTick>(
    `SELECT * FROM job_ticks
     WHERE job_id = $1 AND ($2::timestamptz IS NULL OR (scheduled_at, manual) ${beyond} ($2, $3::boolean))
     ORDER BY scheduled_at ${order}, manual ${order} LIMIT $4`,
    [jobId, start?.at ?? null, start?.manual ?? null, limit + 1],
  );
  const data = rows.slice(0, limit).map(toTickRecord);
  const [first_id, last_id] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { data, has_more: rows.length > limit, first_id, last_id };
}

export const toTickRecord = ({ scheduled_at, outcome, manual, reason, run_id }: JobTick): JobTickRecord => ({
  id: `${scheduled_at.getTime()}${manual ? byHand : ""}`,
  object: "job_tick",
  scheduled_at: scheduled_at.toISOString(),
  outcome,
  manual,
  reason,
  run_id,
});

const byHand = "-manual";

const placeOf = (id: string): { at: Date; manual: boolean } => ({
  at: new Date(Number.parseInt(id, 10)),
  manual: id.endsWith(byHand),
});
